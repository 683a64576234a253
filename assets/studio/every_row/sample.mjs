// Whether the positions of all rows are those of a plane: the sample of the plane shows it, whatever
// has changed meanwhile, be it the view, the run to align with, or only the kernel width.
import { PLANE_TRACE } from "../constants.mjs";
import { positionOf } from "./answers.mjs";

const TOLERANCE = 1e-3; // of the extent of the sample, whose codes have 65,534 steps

/**
 * @param {import("../types").Plane} plane
 * @param {import("../types").Figure} figure
 * @param {import("./answers.mjs").Rows} rows
 * @param {import("./answers.mjs").Points} points
 * @param {number} nComponents
 */
export function fits(plane, figure, rows, points, nComponents) {
  return figure.plane.data.every(({ meta: { kind } }, trace) => {
    const isPoints = kind === PLANE_TRACE.train || kind === PLANE_TRACE.heldOut;
    return !isPoints || traceFits(plane.traces[trace], figure.rows[trace], rows, points, nComponents);
  });
}

// Rows of a line are spread across it by how many are drawn.
function traceFits(trace, numbers, rows, points, nComponents) {
  return ["x", "y"].slice(0, nComponents).every((axis) => {
    const tolerance = TOLERANCE * extentOf(trace[axis]);
    return numbers.every((row, i) => {
      const at = positionOf(rows.numbers, row);
      return at >= 0 && Math.abs(points[axis][at] - trace[axis][i]) <= tolerance;
    });
  });
}

function extentOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high > low ? high - low : 1;
}
