// The connection of a viewer: one answer that goes on for as long as the talk does. Where it breaks, or
// where the server ends it after what it has, the next request says what is here already.
import { wait } from "../../page/dom.mjs";

const ASK_EVERY_MS = 500; // a server that keeps no connections
const SILENT_MS = 25_000; // the server says every 10 s that it is there
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [300, 5000];

/**
 * What the page does with what arrives.
 * @typedef {object} Receiver
 * @property {() => Record<string, string | number>} have what is here already, for the query
 * @property {(kind: string, content: Uint8Array) => Promise<void>} receive
 * @property {(message: string | null) => void} lose says why nothing arrives; null once it does again
 * @property {() => void} end
 */

/** Follows until the talk ends. @param {string} address @param {Receiver} receiver */
export async function follow(address, receiver) {
  for (let failures = 0; ; ) {
    try {
      const outcome = await listen(address, receiver, () => {
        failures = 0;
        receiver.lose(null);
      });
      if (outcome === "over") return receiver.end();
      if (outcome === "asked") await wait(ASK_EVERY_MS);
    } catch (error) {
      failures += 1;
      if (failures > 1) receiver.lose(messageOf(error));
      await wait(waitAfter(failures));
    }
  }
}

/**
 * How long to wait after so many failures in a row: not as long as all others, so that a server that
 * comes back is not asked by all at once.
 * @param {number} failures
 * @param {number} chance from 0 to 1
 */
export function waitAfter(failures, chance = Math.random()) {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  return (0.5 + 0.5 * chance) * longest;
}

async function listen(address, receiver, onOpen) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    const query = new URLSearchParams(Object.entries(receiver.have()).map(([name, value]) => [name, String(value)]));
    const answer = await fetch(`${address}?${query}`, { cache: "no-store", signal: silence.signal });
    if (answer.status === 404) return "over";
    if (!answer.ok) throw new Refusal(await refusalIn(answer));
    onOpen();
    const messages = new Messages();
    const reader = answer.body.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return answer.headers.has("Content-Length") ? "asked" : "broken";
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      for (const { kind, content } of messages.push(value)) {
        if (kind === KIND.end) return "over";
        await receiver.receive(kind, content);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

class Refusal extends Error {}

const refusalIn = async (answer) => (await answer.json().catch(() => ({}))).words ?? `The server answers ${answer.status}.`;

const messageOf = (error) => (error instanceof Refusal ? error.message : "The connection is lost; trying again.");

// What the server sends to viewers (melm_studio/publication/talk.py): a letter for the kind, the
// length of what follows in four bytes, and that many bytes, cut anywhere on the way.

export const KIND = { alive: "a", scene: "s", picture: "p", end: "e" };

const HEAD_BYTES = 5;

export class Messages {
  constructor() {
    this.waiting = new Uint8Array(0);
  }

  /**
   * The messages that are complete once these bytes have arrived.
   * @param {Uint8Array} bytes
   * @returns {{ kind: string, content: Uint8Array }[]}
   */
  push(bytes) {
    let all = joined(this.waiting, bytes);
    const found = [];
    while (all.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + lengthIn(all);
      if (all.length < end) break;
      found.push({ kind: String.fromCharCode(all[0]), content: all.slice(HEAD_BYTES, end) });
      all = all.subarray(end);
    }
    this.waiting = all.slice();
    return found;
  }
}

function joined(first, second) {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

const lengthIn = (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
