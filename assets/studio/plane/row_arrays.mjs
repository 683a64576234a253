// Every row: who it is, and where.
import { arraysIn } from "./arrays.mjs";

/**
 * The rows of a run in the order of the file: number, class, whether held out. Of rows without a class,
 * the class is the number of classes.
 * @typedef {{ numbers: Int32Array, classes: Numbers, heldOut: Numbers }} Rows
 */
/** @typedef {{ x: Float32Array, y: Float32Array }} Points */
/** @typedef {import("./arrays.mjs").Numbers} Numbers */

/** Who the rows are. @param {ArrayBuffer} body @returns {Rows} */
export function rowsIn(body) {
  const { numbers, classes, held_out: heldOut } = arraysIn(body);
  return /** @type {Rows} */ ({ numbers: Int32Array.from(numbers), classes, heldOut });
}

/** Where the rows are. @param {ArrayBuffer} body */
export const pointsIn = (body) => /** @type {Points} */ (arraysIn(body));

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
