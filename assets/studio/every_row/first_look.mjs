// Every row of a large table in its first look, under the contours, in place of the sample.
import { requested } from "../page/answers.mjs";
import { unpackedPoints, unpackedRows } from "./answers.mjs";
import { StillRows } from "./still_rows.mjs";

/** What the server answers of a first look. @typedef {{ figure: any, limits: import("../types").Axes }} Found */

/**
 * Asks where every row is.
 * @param {object} shown the data
 * @param {HTMLElement} plot
 * @param {Found} found
 */
export async function everyRow(shown, plot, found) {
  const bytes = async (address) => (await requested(address, shown)).arrayBuffer();
  const points = unpackedPoints(await bytes("preview/every-point"));
  const rows = unpackedRows(await bytes("preview/every-row"));
  return new StillRows(plot, found, rows, points);
}
