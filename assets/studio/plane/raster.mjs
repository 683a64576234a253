// Every row as pixels. Rows of a pixel add up whatever their order: its color is their mean, and its
// opacity grows with the logarithm of their number, so that dense parts are solid and a row alone
// is still seen. First the rows of each pixel are summed; then each pixel that has some is spread
// over the pixels of a mark. In JavaScript this is faster than WebGL without a graphics card, and
// fast enough with one; there is no context to be lost, and no limit to the number of panels.
import { CROWDING } from "../constants.mjs";

const LONGEST_TABLE = 4_000;
const MARGIN = 16; // pixels around the picture that marks at its edge may cover

/** What is summed for pictures of one size; it is kept between them, for it is large. */
export class Raster {
  /** @param {number} width in device pixels @param {number} height */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.stride = width + 2 * MARGIN;
    const size = 4 * this.stride * (height + 2 * MARGIN);
    // Red, green, blue and weight of every pixel: of the rows in it, and of the marks over it.
    this.rows = new Float32Array(size);
    this.marks = new Float32Array(size);
    this.touched = new Int32Array(size / 4); // the pixels that have rows
    /** @type {Uint8ClampedArray<ArrayBuffer>} */
    this.pixels = new Uint8ClampedArray(4 * width * height);
    this.places = new Int32Array(0);
  }

  /**
   * Draws points.
   * @param {{ x: Float32Array, y: Float32Array }} points
   * @param {Dress} dress
   * @param {DrawnAxes} axes in device pixels
   * @param {number} density device pixels in a pixel of the page
   * @returns {Uint8ClampedArray<ArrayBuffer>} red, green, blue and opacity of every pixel
   */
  draw(points, dress, axes, density) {
    const radius = radiusOf(this.place(points, dress, axes), density);
    this.marks.fill(0);
    for (const [symbol, rows] of rowsBySymbol(dress)) this.spread(this.sum(dress, rows), footprint(symbol, radius));
    return this.toned();
  }

  /** Finds the place of every row, or -1 for those hidden or out of sight, and returns how many are in sight. */
  place({ x, y }, { marks, looks }, axes) {
    const isHidden = Uint8Array.from(looks, ({ weight }) => Number(weight === 0));
    const hidesSome = isHidden.includes(1); // most often none
    if (this.places.length !== x.length) this.places = new Int32Array(x.length);
    const { width, height, places, stride } = this;
    const { offset: left, scale: across } = axes.x;
    const { offset: top, scale: up } = axes.y;
    const first = 4 * (MARGIN * stride + MARGIN);
    let count = 0;
    for (let i = 0; i < x.length; i += 1) {
      const column = left + across * x[i];
      const line = top + up * y[i];
      if (column >= 0 && column < width && line >= 0 && line < height && !(hidesSome && isHidden[marks[i]])) {
        places[i] = first + 4 * ((line | 0) * stride + (column | 0));
        count += 1;
      } else {
        places[i] = -1;
      }
    }
    return count;
  }

  /** Sums rows in their pixels, and returns how many pixels have some. */
  sum({ marks, looks }, own) {
    const { rows, places, touched } = this;
    const sums = Float64Array.from(looks.flatMap(({ color, weight }) => [...color.map((part) => part * weight), weight]));
    let count = 0;
    for (let i = 0; i < own.length; i += 1) {
      const row = own[i];
      const at = places[row];
      if (at < 0) continue;
      const from = 4 * marks[row];
      if (rows[at + 3] === 0) touched[count++] = at;
      rows[at] += sums[from];
      rows[at + 1] += sums[from + 1];
      rows[at + 2] += sums[from + 2];
      rows[at + 3] += sums[from + 3];
    }
    return count;
  }

  /** Adds what the first `count` touched pixels hold to those of the mark around them, and empties them. */
  spread(count, mark) {
    const { rows, marks, touched, stride } = this;
    const steps = Int32Array.from(mark, ([right, down]) => 4 * (down * stride + right));
    const shares = Float64Array.from(mark, ([, , share]) => share);
    for (let i = 0; i < count; i += 1) {
      const at = touched[i];
      const [red, green, blue, weight] = [rows[at], rows[at + 1], rows[at + 2], rows[at + 3]];
      rows[at] = rows[at + 1] = rows[at + 2] = rows[at + 3] = 0;
      for (let step = 0; step < steps.length; step += 1) {
        const to = at + steps[step];
        const share = shares[step];
        marks[to] += share * red;
        marks[to + 1] += share * green;
        marks[to + 2] += share * blue;
        marks[to + 3] += share * weight;
      }
    }
  }

  /** The sums as colors and opacities. */
  toned() {
    const { marks, pixels, width, height, stride } = this;
    let most = 1;
    for (let at = 3; at < marks.length; at += 4) if (marks[at] > most) most = marks[at];
    const opacities = opacityTable(most);
    const words = new Uint32Array(pixels.buffer).fill(0);
    for (let line = 0, to = 0; line < height; line += 1) {
      let at = 4 * ((line + MARGIN) * stride + MARGIN);
      for (let column = 0; column < width; column += 1, at += 4, to += 1) {
        const weight = marks[at + 3];
        if (weight === 0) continue;
        const opacity = weight < 1 ? opacities[1] * weight : opacities[Math.min(weight | 0, LONGEST_TABLE)];
        const [red, green, blue] = [marks[at] / weight, marks[at + 1] / weight, marks[at + 2] / weight];
        words[to] = (opacity << 24) | (blue << 16) | (green << 8) | red;
      }
    }
    return pixels;
  }
}

/** The rows of each symbol, by the marks of all, which stay while a picture moves. @type {WeakMap<Uint16Array, Map<string, Int32Array>>} */
const known = new WeakMap();

/** @param {Dress} dress */
function rowsBySymbol({ marks, looks }) {
  if (known.has(marks)) return known.get(marks);
  const found = new Map();
  const own = new Int32Array(marks.length);
  for (const { symbol } of looks) {
    if (found.has(symbol)) continue;
    const isOwn = looks.map((look) => look.symbol === symbol);
    let count = 0;
    for (let row = 0; row < marks.length; row += 1) if (isOwn[marks[row]]) own[count++] = row;
    found.set(symbol, own.slice(0, count));
  }
  known.set(marks, found);
  return found;
}

// The opacity of a number of rows, of 255; above the longest table, differences are not seen.
function opacityTable(most) {
  const alone = aloneOpacity(most);
  const rise = most > 1 ? (CROWDING.solid - alone) / Math.log(most) : 0;
  const length = Math.min(LONGEST_TABLE, Math.ceil(most)) + 1;
  return Uint8Array.from({ length }, (_, weight) => 255 * Math.min(CROWDING.solid, alone + rise * Math.log(Math.max(1, weight))));
}

/**
 * The opacity of a row that is alone in its pixel.
 * @param {number} most rows in a pixel
 */
export const aloneOpacity = (most) => Math.max(CROWDING.faintest, CROWDING.alone / (1 + CROWDING.fading * Math.log10(most)));

// The pixels that a mark of each shape covers: what is added around the pixel of a row.

// Whether a mark covers a place, in units of its radius. Those of plotly, as in canvas.mjs.
const SHAPES = {
  circle: (x, y) => x * x + y * y <= 1,
  square: (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= 1,
  diamond: (x, y) => Math.abs(x) + Math.abs(y) <= 1.3,
  "triangle-up": (x, y) => y <= 0.8 && y >= -1.2 && Math.abs(x) <= 0.55 * (y + 1.2),
  "triangle-down": (x, y) => y >= -0.8 && y <= 1.2 && Math.abs(x) <= 0.55 * (1.2 - y),
};
const SAMPLES = [-0.375, -0.125, 0.125, 0.375]; // within a pixel, along each axis
const [RING_PX, SMALLEST_RING] = [1.3, 2.4]; // a ring has a hole, which tells it from a dot
const FAINTEST = 0.05; // coverage that is left out

/**
 * The pixels of a mark, by their steps right and down from its middle, and the share it covers.
 * @param {string} symbol as plotly names it; of held-out rows it ends with "-open"
 * @param {number} radius in pixels
 * @returns {[right: number, down: number, share: number][]}
 */
export function footprint(symbol, radius) {
  const isOpen = symbol.endsWith("-open");
  const covers = SHAPES[symbol.replace("-open", "")] ?? SHAPES.circle;
  const outer = isOpen ? Math.max(radius, SMALLEST_RING) : radius;
  const reach = Math.ceil(1.3 * outer);
  const pixels = [];
  for (let down = -reach; down <= reach; down += 1) {
    for (let right = -reach; right <= reach; right += 1) {
      const hole = isOpen ? coverage(covers, right, down, outer - RING_PX) : 0;
      const share = coverage(covers, right, down, outer) - hole;
      if (share > FAINTEST) pixels.push([right, down, share]);
    }
  }
  return /** @type {[number, number, number][]} */ (pixels);
}

function coverage(covers, right, down, radius) {
  const inside = SAMPLES.flatMap((x) => SAMPLES.filter((y) => covers((right + x) / radius, (down + y) / radius)));
  return inside.length / SAMPLES.length ** 2;
}

/**
 * The radius of marks of which so many are in sight, smaller where there are many.
 * @param {number} count
 * @param {number} density device pixels in a pixel of the page
 */
function radiusOf(count, density) {
  return density * (count <= 5_000 ? 2.4 : count <= 30_000 ? 1.8 : count <= 200_000 ? 1.3 : 0.9);
}
