// Requests that the studio cannot answer yet, such as for a file that others wait for: they are repeated.
import { signal } from "./signals.mjs";

const UNAVAILABLE = 503;
const SOON_S = 5; // what takes longer is told instead
const LONGEST_MS = 15 * 60_000;
const SECOND_MS = 1000;

/** What the studio says of a request that is being repeated; empty while none is. */
export const waitingWords = signal("");

/** The newest request of each callback of Dash, by what it changes. @type {Map<string, object>} */
const newest = new Map();

/**
 * Has every request of the page repeated for as long as the answer says that it will soon be there.
 * @param {{ fetch: typeof fetch }} [page] whose requests
 */
export function repeatRequests(page = window) {
  const { fetch } = page;
  page.fetch = (...request) => repeated(() => fetch(...request), outputOf(request[1]?.body));
}

/**
 * @param {() => Promise<Response>} send
 * @param {string} output what a callback changes; empty for other requests
 */
async function repeated(send, output) {
  const [own, end] = [{}, performance.now() + LONGEST_MS];
  if (output) newest.set(output, own);
  let begin = performance.now();
  let answer = await send();
  while (isSoonThere(answer) && performance.now() < end) {
    waitingWords.set(await wordsOf(answer));
    const hasWaited = performance.now() - begin > SECOND_MS / 2; // in the studio, which is asked again at once
    const after = hasWaited ? 0 : Number(answer.headers.get("Retry-After")) * SECOND_MS;
    await new Promise((resolve) => setTimeout(resolve, after));
    // Something else was chosen meanwhile: Dash changes nothing by an answer without content.
    if (output && newest.get(output) !== own) return new Response(null, { status: 204 });
    begin = performance.now();
    answer = await send();
    if (!isSoonThere(answer)) waitingWords.set("");
  }
  return answer;
}

const isSoonThere = ({ status, headers }) =>
  status === UNAVAILABLE && headers.has("Retry-After") && Number(headers.get("Retry-After")) <= SOON_S;

const wordsOf = async (answer) => (await answer.clone().json().catch(() => null))?.words ?? "";

/** What a callback of Dash changes, as its request says first. @param {unknown} body */
const outputOf = (body) => (typeof body === "string" ? (/^\{"output":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? "") : "");
