// Every row as the server sends it (`melm_studio/planes/encoding.py`).

/**
 * The rows of a run in the order of the file: number, class, whether held out. Of rows without a class,
 * the class is the number of classes.
 * @typedef {{ numbers: Int32Array, classes: Uint16Array, heldOut: Uint8Array }} Rows
 */
/** @typedef {{ x: Float32Array, y: Float32Array }} Points */

const HEAD_BYTES = 32;
const ROW_BYTES = 7; // four of the step to the next number, two of the class, one of the mark
const POINT_BYTES = 6;

/** @param {ArrayBuffer} body @returns {Rows} */
export function unpackedRows(body) {
  const bytes = new Uint8Array(body);
  const count = bytes.length / ROW_BYTES;
  const numbers = new Int32Array(count);
  const classes = new Uint16Array(count);
  let number = 0;
  for (let i = 0; i < count; i += 1) {
    number += bytes[i] + 256 * (bytes[i + count] + 256 * (bytes[i + 2 * count] + 256 * bytes[i + 3 * count]));
    numbers[i] = number;
    classes[i] = bytes[i + 4 * count] + 256 * bytes[i + 5 * count];
  }
  return { numbers, classes, heldOut: bytes.subarray(6 * count) };
}

/** @param {ArrayBuffer} body @returns {Points} */
export function unpackedPoints(body) {
  const head = new DataView(body);
  const bytes = new Uint8Array(body, HEAD_BYTES);
  const count = bytes.length / POINT_BYTES;
  const axis = (at) => {
    const [low, step] = [head.getFloat64(16 * at, true), head.getFloat64(16 * at + 8, true)];
    const values = new Float32Array(count);
    for (let i = 0, from = 3 * at * count; i < count; i += 1, from += 1) {
      values[i] = low + step * (bytes[from] + 256 * (bytes[from + count] + 256 * bytes[from + 2 * count]));
    }
    return values;
  };
  return { x: axis(0), y: axis(1) };
}

/** Small numbers as the server sends them in JSON, a byte each. @param {string} text */
export const unpackedCodes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/**
 * The position of a row, by its number; -1 where it is not among them.
 * @param {Int32Array} numbers ascending
 * @param {number} row
 */
export function positionOf(numbers, row) {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < row) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === row ? low : -1;
}
