// What the server sends to viewers (callbacks/routes/talks/messages.py): a letter for the kind, the
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

/** The JSON value in a message. @param {Uint8Array} content */
export function unpacked(content) {
  const stream = new Blob([/** @type {any} */ (content)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function joined(first, second) {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

const lengthIn = (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(1);
