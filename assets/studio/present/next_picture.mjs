// The picture of the next view, requested until it is there.
import { wait } from "../page/dom.mjs";

const NO_CONTENT = 204;
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 30_000];
const MOST_TRIES = 40;

// Of a server that is overloaded, restarting or behind a proxy that does not reach it.
const isBusy = ({ status }) => status === 429 || status >= 500;

/**
 * The answer with a picture; null where there is none, or where it is not wanted any more. A run that is not
 * there yet is asked for again, and so is a server that does not answer, after longer and longer.
 * @param {() => Promise<Response>} request
 * @param {() => boolean} isWanted
 * @param {(milliseconds: number) => Promise<unknown>} [pause]
 * @returns {Promise<Response | null>}
 */
export async function nextPicture(request, isWanted, pause = wait) {
  for (let tries = 0; tries < MOST_TRIES && isWanted(); tries += 1) {
    const answer = await request().catch(() => null);
    if (!isWanted()) break;
    if (answer && answer.status !== NO_CONTENT && !isBusy(answer)) return answer.ok ? answer : null;
    await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries));
  }
  return null;
}
