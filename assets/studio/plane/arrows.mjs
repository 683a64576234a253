// The arrows of a plane as data: origins, tips and loadings.
import { PLANE_TRACE } from "../constants.mjs";

/** @typedef {import("../types").Point} Point */

/**
 * How many vertices each arrow has among its lines: origin, tip and the gap before the next one;
 * where features bend, their paths and the marks of their quartiles follow, of all arrows alike.
 * @param {import("../types").Trace} lines
 * @param {number} nArrows
 */
export const verticesPer = (lines, nArrows) => (nArrows ? lines.x.length / nArrows : 1);

/** The arrays of the trace of a kind. */
function arraysOf(figure, plane, kind) {
  return plane.traces[figure.plane.data.findIndex(({ meta }) => meta.kind === kind)];
}

/**
 * The origin of an arrow, in data coordinates.
 * @param {import("../types").Figure} figure
 * @param {import("../types").Plane} plane
 * @param {number} i among the arrows
 * @returns {Point}
 */
export function originOf(figure, plane, i) {
  const lines = arraysOf(figure, plane, PLANE_TRACE.arrowLines);
  const first = verticesPer(lines, arraysOf(figure, plane, PLANE_TRACE.arrowHeads).x.length) * i;
  return [lines.x[first], lines.y[first]];
}

/**
 * The tips of all arrows, in data coordinates.
 * @param {import("../types").Figure} figure
 * @param {import("../types").Plane} plane
 * @returns {Point[]}
 */
export function tipsOf(figure, plane) {
  const { x, y } = arraysOf(figure, plane, PLANE_TRACE.arrowHeads);
  return x.map((value, i) => [value, y[i]]);
}

/**
 * The loading whose arrow, from this origin, has its tip at a point.
 * @param {Point} tip
 * @param {Point} origin
 * @param {number} scale length of an arrow by length of its loading
 * @returns {Point}
 */
export function loadingOf(tip, origin, scale) {
  return [(tip[0] - origin[0]) / scale, (tip[1] - origin[1]) / scale];
}

/**
 * The nearest of several points, if one is within reach.
 * @param {Point[]} points
 * @param {Point} at
 * @param {number} reach
 * @returns {number | null}
 */
export function nearest(points, at, reach) {
  const distances = points.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
  const i = distances.indexOf(Math.min(...distances));
  return distances[i] <= reach ? i : null;
}
