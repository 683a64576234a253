// Arrays of numbers as the server sends them; `melm_studio/planes/encoding.py` says how they are written.

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

/** @typedef {{ dtype: string, low?: number, step?: number, shape?: number[] }} Header */

/**
 * The numbers of an array in JSON, which may be plain, with null where a line ends; in codes nan is there.
 * @param {any} array
 * @returns {number[] | Numbers}
 */
export function numbers(array) {
  if (array?.dtype === "ellipse") return Float32Array.from(CIRCLE, ([x, y]) => array.center + array.cosine * x + array.sine * y);
  return array?.bdata === undefined ? (array ?? []) : valuesOf(array, fromBase64(array.bdata));
}

/**
 * The numbers of arrays in bytes, by their names.
 * @param {ArrayBuffer} body
 * @returns {Record<string, Numbers>}
 */
export function arraysIn(body) {
  const length = new DataView(body).getUint32(0, true);
  let from = 4 + length;
  /** @type {Record<string, Header>} */
  const headers = JSON.parse(new TextDecoder().decode(new Uint8Array(body, 4, length)));
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => {
      const bytes = new Uint8Array(body, from, widthOf(header) * header.shape[0]);
      from += bytes.length;
      return [name, valuesOf(header, bytes)];
    }),
  );
}

/** Bytes of a value. @param {Header} header */
const widthOf = ({ dtype }) => Number(dtype[1]);

/** The JSON value in what gzip has written. @param {Uint8Array} content @returns {Promise<any>} */
export function unpacked(content) {
  const stream = new Blob([/** @type {any} */ (content)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** @param {string} text */
export function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** @param {Header} header @param {Uint8Array} bytes @returns {Numbers} */
function valuesOf(header, bytes) {
  return header.step === undefined ? bytes.slice() : fromCodes(header, bytes);
}

/** Four bytes are more than a number of single precision can tell apart. @param {Header} header @param {Uint8Array} bytes */
function fromCodes(header, bytes) {
  const { low, step } = header;
  const first = low - step;
  const width = widthOf(header);
  const count = bytes.length / width;
  const mask = width === 4 ? -1 : 256 ** width - 1;
  const values = width === 4 ? new Float64Array(count) : new Float32Array(count);
  let code = 0;
  for (let i = 0; i < count; i += 1) {
    let difference = bytes[i] | (bytes[i + count] << 8);
    if (width > 2) difference |= bytes[i + 2 * count] << 16;
    if (width > 3) difference |= bytes[i + 3 * count] << 24;
    code = (code + difference) & mask;
    values[i] = code === 0 ? NaN : first + code * step;
  }
  return values;
}
