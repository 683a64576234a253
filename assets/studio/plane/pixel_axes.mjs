// The axes of a picture in pixels of its element, and the lines of its grid, whoever draws it.
import { tickStep, withEqualUnits } from "./scales.mjs";

/** @typedef {import("../types").Axes} Axes */
/** @typedef {import("../types").DrawnAxes} DrawnAxes */
/** @typedef {import("../types").PixelAxis} PixelAxis */
/** @typedef {import("../types").Point} Point */

// Of a grid: how far two lines are from each other at least, and how many there are at most, about.
const [GRID_PX, MOST_LINES] = [50, 12];

/** The sizes of elements that are watched: to ask for one takes a layout of the page. @type {WeakMap<Element, [number, number]>} */
const sizes = new WeakMap();

/** @param {HTMLElement} plot @returns {[number, number]} */
export function sizeOf(plot) {
  const known = sizes.get(plot);
  return known?.[0] ? known : [plot.clientWidth, plot.clientHeight]; // it may just have been hidden
}

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

/**
 * The axes in pixels, as the margins of a layout leave them.
 * @param {HTMLElement} plot
 * @param {any} layout of the figure
 * @returns {{ x: PixelAxis, y: PixelAxis, hasEqualUnits: boolean }}
 */
export function pixelAxes(plot, { margin: { l, r, t, b }, xaxis, yaxis }) {
  const [width, height] = sizeOf(plot).map(Math.round);
  const x = { offset: l, length: width - l - r, gridColor: xaxis.gridcolor, tickStep: xaxis.dtick, numbers: numbersOf(xaxis) };
  const y = { offset: t, length: height - t - b, gridColor: yaxis.gridcolor, tickStep: yaxis.dtick, numbers: numbersOf(yaxis) };
  return { x, y, hasEqualUnits: Boolean(yaxis.scaleanchor) };
}

// The font of the numbers along an axis that has some.
const numbersOf = ({ showticklabels: has, tickfont }) => (has ? tickfont : null);

/**
 * A layout with these axes and the lines of their grid, about as far from each other in any size.
 * @param {HTMLElement} plot
 * @param {any} layout
 * @param {Axes} axes that are shown at least
 */
export function layoutOn(plot, layout, axes) {
  const pixels = pixelAxes(plot, layout);
  const most = [pixels.x, pixels.y].map(({ length }) => Math.min(length / GRID_PX, MOST_LINES));
  const [xStep, yStep] = shownRanges(axes, pixels).map((range, i) => tickStep(range, most[i]));
  const axis = (name, range, dtick) => ({ ...layout[name], range: [...range], autorange: false, dtick });
  return {
    ...layout,
    xaxis: axis("xaxis", axes[0], xStep),
    yaxis: axis("yaxis", axes[1], pixels.hasEqualUnits ? xStep : yStep),
  };
}

/**
 * The ranges that axes show when they are asked to show at least these.
 * @param {Axes} ranges
 * @param {{ x: PixelAxis, y: PixelAxis, hasEqualUnits: boolean }} axes
 * @returns {Axes}
 */
export function shownRanges(ranges, { x, y, hasEqualUnits }) {
  return hasEqualUnits ? withEqualUnits(ranges, [x.length, y.length]) : ranges;
}

/**
 * What is on screen: axes, and where they are in pixels.
 * @typedef {{ axes: Axes, pixels: { x: PixelAxis, y: PixelAxis } }} Shown
 */

/**
 * What is on screen where at least these axes are: wider where the picture is.
 * @param {HTMLElement} plot
 * @param {any} layout
 * @param {Axes} axes
 * @returns {Shown}
 */
export function shownOn(plot, layout, axes) {
  const pixels = pixelAxes(plot, layout);
  return { axes: shownRanges(axes, pixels), pixels };
}

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
 */
export const toData = (plot, place) => toAxes(drawnAxes(plot), place);

/**
 * From data to pixels.
 * @param {DrawnAxes} axes
 * @param {Point} point
 * @returns {Point}
 */
export const onAxes = ({ x, y }, point) => [x.offset + x.scale * point[0], y.offset + y.scale * point[1]];

/**
 * From pixels to data.
 * @param {DrawnAxes} axes
 * @param {Point} place
 * @returns {Point}
 */
export const toAxes = ({ x, y }, place) => [(place[0] - x.offset) / x.scale, (place[1] - y.offset) / y.scale];
