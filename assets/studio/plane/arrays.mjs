// Arrays as the server sends them.

/** @typedef {import("../types").Plane} Plane */

/**
 * A plane with its encoded arrays as numbers; those of arrows and names are plain already.
 * @param {Plane} plane
 * @returns {Plane}
 */
export function decodedPlane(plane) {
  const traces = plane.traces.map((arrays) => ({ ...arrays, x: numbers(arrays.x), y: numbers(arrays.y) }));
  return { ...plane, traces };
}

// Vertices of an ellipse.
const N_VERTICES = 49;
const ANGLES = Array.from({ length: N_VERTICES }, (_, i) => (2 * Math.PI * i) / (N_VERTICES - 1));
const CIRCLE = ANGLES.map((angle) => [Math.cos(angle), Math.sin(angle)]);

/**
 * The numbers of an array: compact, a coordinate along an ellipse, or plain with null where a line ends. In the compact form
 * (`melm_studio/planes/encoding.py`), 0 stands for the end of a line.
 * @param {any} array
 * @returns {number[] | Float32Array}
 */
export function numbers(array) {
  if (array?.dtype === "ellipse") return Float32Array.from(CIRCLE, ([x, y]) => array.center + array.cosine * x + array.sine * y);
  if (array?.bdata === undefined) return array ?? [];
  const { low, step, bdata } = array;
  const bytes = atob(bdata);
  const values = new Float32Array(bytes.length / 2);
  let code = 0;
  for (let i = 0; i < values.length; i += 1) {
    code = (code + bytes.charCodeAt(i) + 256 * bytes.charCodeAt(i + values.length)) & 0xffff;
    values[i] = code === 0 ? NaN : low + (code - 1) * step;
  }
  return values;
}
