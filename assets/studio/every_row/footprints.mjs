// The pixels that a mark of each shape covers: what is added around the pixel of a row.

// Whether a mark covers a place, in units of its radius. Those of plotly, as in drawing/canvas.mjs.
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
export function radiusOf(count, density) {
  return density * (count <= 5_000 ? 2.4 : count <= 30_000 ? 1.8 : count <= 200_000 ? 1.3 : 0.9);
}
