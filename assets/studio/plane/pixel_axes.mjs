// The axes of a picture in pixels of its element, and the lines of its grid, whoever draws it.
import { multiples, tickStep, withEqualUnits } from "./scales.mjs";

// Of a grid: how far two lines are from each other at least, and how many there are at most, about.
const [GRID_PX, MOST_LINES] = [50, 12];

// Outside the picture, in heights of their letters: the numbers of the axes and, beyond them, the titles.
const [NUMBERS_AND_TITLE_LEFT, TITLE_LEFT, NUMBERS_AND_TITLE_BELOW] = [4, 1.6, 3];

/** The sizes of elements that are watched: to ask for one takes a layout of the page. @type {WeakMap<Element, [number, number]>} */
const sizes = new WeakMap();

/** @param {HTMLElement} plot @returns {[number, number]} */
export function sizeOf(plot) {
  const known = sizes.get(plot);
  return known?.[0] ? known : [plot.clientWidth, plot.clientHeight]; // it may just have been hidden
}

/** Whether the size of an element is known without a layout of the page. @param {HTMLElement} plot */
export const isMeasured = (plot) => sizes.has(plot);

/** Looks up the size of an element that may just have changed. @param {HTMLElement} plot */
export const measureSize = (plot) => sizes.set(plot, [plot.clientWidth, plot.clientHeight]);

/**
 * Calls back with every new size of an element, in pixels.
 * @param {HTMLElement} plot
 * @param {(size: [number, number]) => void} onChange
 * @returns {() => void} what ends that
 */
export function watchSize(plot, onChange) {
  const observer = new ResizeObserver(([{ contentRect: { width, height } }]) => {
    sizes.set(plot, [width, height]);
    onChange([width, height]);
  });
  observer.observe(plot);
  return () => observer.disconnect();
}

/** Where the axes of a picture are. @typedef {{ [axis in "x" | "y"]: Pick<PixelAxis, "offset" | "length"> } & { hasEqualUnits: boolean }} Places */

/**
 * What is on screen where at least some axes are, wider where the picture is, with the lines of a grid that are about
 * as far from each other in any size.
 * @param {HTMLElement} plot
 * @param {any} layout of the figure
 * @param {Axes} wanted
 * @param {number} [textScale] how much larger the numbers are than in the figure
 * @returns {Shown}
 */
export function shownOn(plot, { margin: { r, t }, xaxis, yaxis }, wanted, textScale = 1) {
  const [width, height] = sizeOf(plot).map(Math.round);
  const size = textScale * xaxis.tickfont.size;
  const left = Math.round(size * (yaxis.showticklabels ? NUMBERS_AND_TITLE_LEFT : TITLE_LEFT));
  const below = Math.round(size * NUMBERS_AND_TITLE_BELOW);
  const [x, y] = [axisIn(xaxis, left, width - left - r, size), axisIn(yaxis, t, height - t - below, size)];
  const hasEqualUnits = Boolean(yaxis.scaleanchor);
  const axes = shownRanges(wanted, { x, y, hasEqualUnits });
  const [xStep, yStep] = [x, y].map(({ length }, i) => tickStep(axes[i], Math.min(length / GRID_PX, MOST_LINES)));
  x.tickStep = xStep;
  y.tickStep = hasEqualUnits ? xStep : yStep;
  return { axes, pixels: { x, y, hasEqualUnits } };
}

/** @returns {PixelAxis} */
const axisIn = ({ gridcolor: gridColor, showticklabels: hasNumbers, tickfont }, offset, length, size) => ({
  offset,
  length,
  gridColor,
  numbers: hasNumbers ? { ...tickfont, size } : null,
});

/** The ranges that axes show when they are asked to show at least these. @param {Axes} ranges @param {Places} places */
const shownRanges = (ranges, { x, y, hasEqualUnits }) => (hasEqualUnits ? withEqualUnits(ranges, [x.length, y.length]) : ranges);

/**
 * Where axes are drawn that are shown at least.
 * @param {Axes} axes
 * @param {Places} places
 * @returns {DrawnAxes}
 */
export function drawnOn(axes, places) {
  const { x, y } = places;
  const [[left, right], [bottom, top]] = shownRanges(axes, places);
  const [across, up] = [x.length / (right - left), -y.length / (top - bottom)];
  return { x: { offset: x.offset - across * left, scale: across }, y: { offset: y.offset - up * top, scale: up } };
}

/**
 * The ticks of an axis and their pixels.
 * @param {{ offset: number, scale: number }} drawn
 * @param {PixelAxis} axis
 * @returns {[value: number, at: number][]}
 */
export function ticksOn({ offset, scale }, { offset: first, length, tickStep: step }) {
  const ends = [first, first + length].map((at) => (at - offset) / scale).sort((a, b) => a - b);
  return multiples(step, /** @type {Extent} */ (ends)).map((value) => [value, offset + scale * value]);
}

/** From data to pixels along an axis; null, where a line ends, becomes NaN. @param {{ offset: number, scale: number }} drawn */
export const along =
  ({ offset, scale }) =>
  (/** @type {number | null} */ value) =>
    value === null ? NaN : offset + scale * value;

/**
 * The axes and the sizes of the pictures that are drawn.
 * @type {WeakMap<HTMLElement, { axes: DrawnAxes, size: [number, number] }>}
 */
const drawn = new WeakMap();

/**
 * Notes on what axes a picture is drawn; null where it is gone.
 * @param {HTMLElement} plot
 * @param {DrawnAxes | null} axes
 */
export function noteAxes(plot, axes) {
  if (axes) drawn.set(plot, { axes, size: sizeOf(plot) });
  else drawn.delete(plot);
}

/** The axes of the picture in pixels; null where nothing is drawn. @param {HTMLElement} plot */
export const drawnAxes = (plot) => drawn.get(plot)?.axes ?? null;

/** Whether the picture is as large as its element. @param {HTMLElement} plot */
export function isFitted(plot) {
  const size = drawn.get(plot)?.size;
  return size !== undefined && sizeOf(plot).every((side, i) => Math.abs(side - size[i]) < 1);
}

/**
 * From data to pixels of a picture that is drawn.
 * @param {HTMLElement} plot
 * @param {Point} point
 */
export const toPixels = (plot, point) => onAxes(drawnAxes(plot), point);

/**
 * From pixels of a picture that is drawn to data.
 * @param {HTMLElement} plot
 * @param {Point} place
 * @returns {Point}
 */
export function toData(plot, [across, down]) {
  const { x, y } = drawnAxes(plot);
  return [(across - x.offset) / x.scale, (down - y.offset) / y.scale];
}

/**
 * From data to pixels.
 * @param {DrawnAxes} axes
 * @param {Point} point
 * @returns {Point}
 */
export const onAxes = ({ x, y }, point) => [x.offset + x.scale * point[0], y.offset + y.scale * point[1]];
