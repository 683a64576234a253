// The way from one plane to the next: points and arrows move on straight lines, and contours follow
// the points while those of the next plane appear. Pure functions of the traces of two planes.
import { PLANE_TRACE } from "../constants.mjs";

/** @typedef {import("../types").Trace} Trace */
/** @typedef {import("../types").Axes} Axes */
/**
 * What is drawn of a plane: its traces, the axes that are shown at least, the features of its arrows.
 * @typedef {{ plane?: object, traces: Trace[], axes: Axes, features: number[] }} Picture
 */
/**
 * An affine map of the plane: the first coordinate is `a x + b y + e`, the second `c x + d y + f`.
 * @typedef {[a: number, b: number, c: number, d: number, e: number, f: number]} AffineMap
 */
/** @typedef {Map<number, { forth: AffineMap, back: AffineMap }>} ContourMaps by class */

/** @type {string[]} */
const POINT_KINDS = [PLANE_TRACE.train, PLANE_TRACE.heldOut];
/** @type {string[]} */
const MEAN_KINDS = [PLANE_TRACE.classEllipse, PLANE_TRACE.meanEllipse, PLANE_TRACE.centroid];
const PER_ARROW = { [PLANE_TRACE.arrowLines]: 3, [PLANE_TRACE.arrowHeads]: 1 };
// A map that flattens the points more than this says nothing about contours.
const LEAST_DETERMINANT = 0.05;

const mix = (one, other, share) => one + share * (other - one);

/**
 * Whether one plane can glide into another: both draw the same rows.
 * @param {Picture} from
 * @param {Picture} to
 */
export function isAlike(from, to) {
  return (
    from.traces.length === to.traces.length &&
    to.traces.every((trace, i) => !isPoints(trace) || trace.x.length === from.traces[i].x.length)
  );
}

/**
 * The picture on the way between two planes. Its `fading` are the contours of the plane that it
 * comes from; those of the next plane have the opacity of the share.
 * @param {Picture} from
 * @param {Picture} to
 * @param {number} share of the way
 * @param {ContourMaps} [maps] which are the same all the way
 * @returns {Picture & { fading: Trace[] }}
 */
export function between(from, to, share, maps = contourMaps(from, to)) {
  if (share >= 1) return { ...to, fading: [] };
  const fading = [];
  const traces = to.traces.map((trace, i) => {
    const former = from.traces[i];
    if (trace.visible === false) return trace;
    if (isPoints(trace)) return moved(trace, former, share);
    if (MEAN_KINDS.includes(trace.meta.kind)) return moved(trace, former, share);
    if (trace.meta.kind in PER_ARROW) return movedArrows(trace, former, from.features, to.features, share);
    if (trace.meta.kind !== PLANE_TRACE.contour) return trace;
    if (isCurve(trace) && isCurve(former)) return moved(trace, former, share);
    const { forth, back } = maps.get(trace.meta.class) ?? STAYING;
    const opacity = trace.opacity ?? 1;
    fading.push({ ...mapped(former, forth, share), opacity: opacity * (1 - share) });
    return { ...mapped(trace, back, 1 - share), opacity: opacity * share };
  });
  const axes = /** @type {Axes} */ (to.axes.map((range, axis) => range.map((end, i) => mix(from.axes[axis][i], end, share))));
  return { traces, axes, features: to.features, fading };
}

/** @param {Trace} trace */
const isPoints = ({ meta }) => POINT_KINDS.includes(meta.kind);

// The density of one component is a curve without gaps over the same steps in every plane.
/** @param {Trace} trace */
const isCurve = ({ x }) => x.length > 0 && !x.some(Number.isNaN);

function moved(trace, former, share) {
  if (trace.x.length !== former.x.length) return trace;
  return { ...trace, x: mixed(former.x, trace.x, share), y: mixed(former.y, trace.y, share) };
}

const mixed = (one, other, share) => Float32Array.from(other, (value, i) => mix(one[i], value, share));

// Arrows are sorted by length, so those of one feature may have different places in two planes; an
// arrow that is new begins where it ends.
function movedArrows(trace, former, featuresBefore, features, share) {
  const size = PER_ARROW[trace.meta.kind];
  const place = (values, other) =>
    values.map((value, i) => {
      const before = featuresBefore.indexOf(features[Math.floor(i / size)]);
      const start = before < 0 ? undefined : other[before * size + (i % size)];
      return value === null || start === undefined || start === null ? value : mix(start, value, share);
    });
  return { ...trace, x: place(trace.x, former.x), y: place(trace.y, former.y) };
}

// A line with the given share of the way that a map moves it.
/** @param {Trace} trace @param {AffineMap} map @param {number} share */
function mapped(trace, [a, b, c, d, e, f], share) {
  const [xx, xy, x0] = [1 + share * (a - 1), share * b, share * e];
  const [yx, yy, y0] = [share * c, 1 + share * (d - 1), share * f];
  const x = new Float32Array(trace.x.length);
  const y = new Float32Array(trace.x.length);
  for (let i = 0; i < x.length; i += 1) {
    const [right, up] = [trace.x[i], trace.y[i]];
    x[i] = x0 + xx * right + xy * up;
    y[i] = y0 + yx * right + yy * up;
  }
  return { ...trace, x, y };
}

/** @type {AffineMap} */
const IDENTITY = [1, 0, 0, 1, 0, 0];
const STAYING = { forth: IDENTITY, back: IDENTITY };

/**
 * How the contours of each class move: with the mean of its rows, turned as all rows are on average.
 * @param {Picture} from
 * @param {Picture} to
 * @returns {ContourMaps}
 */
export function contourMaps(from, to) {
  const linear = averageMap(from, to);
  if (!linear) return new Map();
  const inverse = inverted(linear);
  /** @type {ContourMaps} */
  const maps = new Map();
  for (const [i, trace] of to.traces.entries()) {
    if (trace.meta.kind !== PLANE_TRACE.train || !trace.x.length) continue;
    const [start, end] = [mean(from.traces[i]), mean(trace)];
    maps.set(trace.meta.class, { forth: affine(linear, start, end), back: affine(inverse, end, start) });
  }
  return maps;
}

/** @param {number[]} linear @param {[number, number]} start @param {[number, number]} end @returns {AffineMap} */
const affine = ([a, b, c, d], [x0, y0], [x1, y1]) => [a, b, c, d, x1 - a * x0 - b * y0, y1 - c * x0 - d * y0];

/** @param {number[]} map */
function inverted([a, b, c, d]) {
  const determinant = a * d - b * c;
  return [d / determinant, -b / determinant, -c / determinant, a / determinant];
}

/**
 * The linear map that takes the rows of one picture closest to those of the other, about their
 * class means, by least squares; null where the rows do not determine one.
 * @param {Picture} from
 * @param {Picture} to
 * @returns {number[] | null} row by row
 */
export function averageMap(from, to) {
  let [xx, xy, yy, ux, uy, vx, vy] = [0, 0, 0, 0, 0, 0, 0];
  for (const [i, trace] of to.traces.entries()) {
    if (trace.meta.kind !== PLANE_TRACE.train) continue;
    const former = from.traces[i];
    const [[x0, y0], [u0, v0]] = [mean(former), mean(trace)];
    for (let row = 0; row < trace.x.length; row += 1) {
      const [x, y, u, v] = [former.x[row] - x0, former.y[row] - y0, trace.x[row] - u0, trace.y[row] - v0];
      xx += x * x;
      xy += x * y;
      yy += y * y;
      ux += u * x;
      uy += u * y;
      vx += v * x;
      vy += v * y;
    }
  }
  const spread = xx * yy - xy * xy;
  if (!(spread > 1e-9 * xx * yy)) return null;
  const map = [ux * yy - uy * xy, uy * xx - ux * xy, vx * yy - vy * xy, vy * xx - vx * xy].map((value) => value / spread);
  return Math.abs(map[0] * map[3] - map[1] * map[2]) < LEAST_DETERMINANT ? null : map;
}

/** @param {Trace} trace @returns {[number, number]} */
function mean({ x, y }) {
  let [right, up] = [0, 0];
  for (let i = 0; i < x.length; i += 1) {
    right += x[i];
    up += y[i];
  }
  return [right / x.length, up / x.length];
}
