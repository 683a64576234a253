// Arrays as the server sends them.

/** @type {WeakMap<object, Float32Array>} */
const decoded = new WeakMap();

/**
 * The numbers of an array: float32 in base 64, or plain with null where a line ends.
 * @param {any} array
 * @returns {ArrayLike<number> & { map: Function }}
 */
export function numbers(array) {
  if (!array?.bdata) return array ?? [];
  if (!decoded.has(array)) {
    const bytes = Uint8Array.from(atob(array.bdata), (letter) => letter.charCodeAt(0));
    decoded.set(array, new Float32Array(bytes.buffer));
  }
  return decoded.get(array);
}
