// The arrows of a plane as data: origins, tips and loadings.
import { PATH_SHARES } from "../constants.mjs";
import { percent, unbroken, withMinus } from "../page/number_text.mjs";

/**
 * How many vertices each arrow has among its lines: origin, tip and the gap before the next one;
 * where features bend, their paths and the marks of their quartiles follow, of all arrows alike.
 * @param {Trace} lines
 * @param {number} nArrows
 */
export const verticesPer = (lines, nArrows) => (nArrows ? lines.x.length / nArrows : 1);

/** The arrays of the trace of a kind. @param {Figure} figure @param {Plane} plane @param {PlaneTrace} kind @returns {any} */
function arraysOf(figure, plane, kind) {
  return plane.traces[figure.plane.data.findIndex(({ meta }) => meta.kind === kind)];
}

/**
 * The origin of an arrow, in data coordinates.
 * @param {Figure} figure
 * @param {Plane} plane
 * @param {number} i among the arrows
 * @returns {Point}
 */
export function originOf(figure, plane, i) {
  const lines = arraysOf(figure, plane, "arrow_lines");
  const first = verticesPer(lines, arraysOf(figure, plane, "arrow_heads").x.length) * i;
  return [lines.x[first], lines.y[first]];
}

/**
 * The tips of all arrows, in data coordinates.
 * @param {Figure} figure
 * @param {Plane} plane
 * @returns {Point[]}
 */
export function tipsOf(figure, plane) {
  const { x, y } = arraysOf(figure, plane, "arrow_heads");
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

// An arrow that bends: origin, tip and gap come before its path.
const BEFORE_PATH = 3;

/**
 * The vertices of the path of a feature that bends, in data coordinates.
 * @param {Figure} figure
 * @param {Plane} plane
 * @param {number} i among the arrows
 * @returns {Point[]}
 */
export function pathOf(figure, plane, i) {
  const lines = arraysOf(figure, plane, "arrow_lines");
  const first = verticesPer(lines, plane.arrows.names.length) * i + BEFORE_PATH;
  return PATH_SHARES.map((_, at) => [lines.x[first + at], lines.y[first + at]]);
}

/**
 * Where a path is nearest to a point: a step of 1.5 is halfway from its second vertex to its third.
 * @param {Point[]} path
 * @param {Point} at
 * @returns {{ step: number, distance: number }}
 */
export function nearestStep(path, [x, y]) {
  let best = { step: 0, distance: Infinity };
  for (const [i, [x1, y1]] of path.slice(1).entries()) {
    const [x0, y0] = path[i];
    const [right, up] = [x1 - x0, y1 - y0];
    const square = right * right + up * up;
    const along = square ? Math.min(1, Math.max(0, ((x - x0) * right + (y - y0) * up) / square)) : 0;
    const distance = Math.hypot(x0 + along * right - x, y0 + along * up - y);
    if (distance < best.distance) best = { step: i + along, distance };
  }
  return best;
}

/**
 * What is known at a step between vertices, by its values at them.
 * @param {readonly number[]} values
 * @param {number} step
 */
export function atStep(values, step) {
  const i = Math.min(Math.floor(step), values.length - 2);
  return values[i] + (step - i) * (values[i + 1] - values[i]);
}

/**
 * The step of a path that has this share of the rows below it.
 * @param {number} share within those of the path
 */
export function stepOfShare(share) {
  const i = Math.max(0, PATH_SHARES.findLastIndex((below, at) => below <= share && at < PATH_SHARES.length - 1));
  return i + (share - PATH_SHARES[i]) / (PATH_SHARES[i + 1] - PATH_SHARES[i]);
}

/**
 * What a feature that bends does to a row at a step of its path.
 * @param {string} name
 * @param {readonly number[]} values at the vertices
 * @param {Point[]} path
 * @param {Point} origin
 * @param {number} step
 * @param {boolean} isLine of one component, where a path has no second coordinate
 */
export function pathWords(name, values, path, origin, step, isLine) {
  const [x, y] = [0, 1].map((axis) => signed(atStep(path.map((vertex) => vertex[axis]), step) - origin[axis]));
  const value = withMinus(String(Number(atStep(values, step).toPrecision(3))));
  const share = percent(atStep(PATH_SHARES, step));
  const way = isLine ? x : `(${x},\u00a0${y})`;
  return unbroken(`${name} ${value}: ${share} of rows have less; it moves a row by ${way}`);
}

const signed = (value) => (Math.abs(value) < 0.005 ? "0" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`);
