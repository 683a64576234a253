// All that the page knows of plotly. Its private attributes (_fullLayout and the _offset, _length,
// d2p and p2d of an axis) are read here and nowhere else: plotly has no public way from data to
// pixels (https://github.com/plotly/plotly.js/issues/5764).
import { tickStep, withEqualUnits } from "./scales.mjs";

/** @typedef {import("../types").Axes} Axes */
/** @typedef {import("../types").PixelAxis} PixelAxis */
/** @typedef {import("../types").Point} Point */

// Of a grid: how far two lines are from each other at least, and how many there are at most, about.
const [GRID_PX, MOST_LINES] = [50, 12];

let loading = null; // the promise of plotly

/**
 * Loads plotly, once. Its script is nearly half of all that the page loads, so the page loads it
 * last: when it is idle, or when the first figure is drawn.
 * @returns {Promise<any>}
 */
export function loadPlotly() {
  loading ??= new Promise((resolve, reject) => {
    /** @type {HTMLMetaElement} */
    const { content } = document.querySelector('meta[name="plotly-script"]');
    const script = Object.assign(document.createElement("script"), { src: content });
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => reject(new Error(`${content} could not be loaded.`)));
    document.head.append(script);
  });
  return loading;
}

const CONFIG = { displayModeBar: false, responsive: true };

/**
 * Draws a figure, or changes the one that is drawn.
 * @param {HTMLElement} plot
 * @param {object[]} traces
 * @param {object} layout
 * @param {object} [config] beyond that of every figure
 * @returns {Promise<unknown>}
 */
export async function draw(plot, traces, layout, config) {
  const plotly = window.Plotly ?? (await loadPlotly());
  return plotly.react(plot, traces, layout, { ...CONFIG, ...config });
}

/** Text in which plotly finds no markup. @param {string} text */
export const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Removes a figure. @param {Element} plot */
export const clear = (plot) => window.Plotly?.purge(plot);

/** Whether plotly has drawn a figure here. @param {any} plot */
export const isDrawn = (plot) => Boolean(plot._fullLayout);

/** The sizes of elements that are watched: to ask for one takes a layout of the page. @type {WeakMap<Element, [number, number]>} */
const sizes = new WeakMap();

/** @param {HTMLElement} plot @returns {[number, number]} */
export function sizeOf(plot) {
  const known = sizes.get(plot);
  return known?.[0] ? known : [plot.clientWidth, plot.clientHeight]; // it may just have been hidden
}

/** Whether the picture is as large as its element. @param {any} plot */
export function isFitted(plot) {
  const { width, height } = plot._fullLayout ?? {};
  const [wide, high] = sizeOf(plot);
  const [drawnWide, drawnHigh] = onCanvas.get(plot)?.size ?? [width, height];
  return Math.abs(drawnWide - wide) < 1 && Math.abs(drawnHigh - high) < 1;
}

/**
 * Calls back when a picture is no longer as large as its element; the next drawing of it is.
 * @param {HTMLElement} plot
 * @param {() => void} onChange
 * @returns {() => void} what ends that
 */
export function whenResized(plot, onChange) {
  const observer = new ResizeObserver(([{ contentRect: { width, height } }]) => {
    sizes.set(plot, [width, height]);
    if (hasPicture(plot) && width && !isFitted(plot)) onChange();
  });
  observer.observe(plot);
  return () => observer.disconnect();
}

/**
 * The axes in pixels, as plotly lays them out.
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
 * The axes in pixels of a figure that plotly has drawn.
 * @param {any} plot
 * @returns {{ x: PixelAxis, y: PixelAxis }}
 */
export function drawnPixelAxes({ _fullLayout: { xaxis, yaxis } }) {
  const pixels = ({ _offset: offset, _length: length, gridcolor: gridColor, dtick }) => ({ offset, length, gridColor, tickStep: dtick });
  return { x: pixels(xaxis), y: pixels(yaxis) };
}

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

const axesOf = ({ _fullLayout: { xaxis, yaxis } }) => [xaxis, yaxis];

/**
 * The axes and the sizes of pictures that a canvas shows in place of plotly.
 * @type {WeakMap<HTMLElement, { axes: import("../types").DrawnAxes, size: [number, number] }>}
 */
const onCanvas = new WeakMap();

/**
 * Notes on what axes a picture is that a canvas shows; null once plotly's is seen again.
 * @param {HTMLElement} plot
 * @param {import("../types").DrawnAxes | null} axes
 */
export function noteCanvasAxes(plot, axes) {
  if (axes) onCanvas.set(plot, { axes, size: sizeOf(plot) });
  else onCanvas.delete(plot);
}

/** Whether there is a picture, on a canvas or by plotly. @param {HTMLElement} plot */
export const hasPicture = (plot) => onCanvas.has(plot) || isDrawn(plot);

/**
 * From data to pixels within the figure.
 * @param {any} plot
 * @param {Point} point
 * @returns {Point}
 */
export function toPixels(plot, point) {
  const drawn = onCanvas.get(plot)?.axes;
  if (drawn) return [drawn.x.offset + drawn.x.scale * point[0], drawn.y.offset + drawn.y.scale * point[1]];
  return /** @type {Point} */ (axesOf(plot).map((axis, i) => axis._offset + axis.d2p(point[i])));
}

/**
 * From pixels within the figure to data.
 * @param {any} plot
 * @param {Point} point
 * @returns {Point}
 */
export function toData(plot, point) {
  const drawn = onCanvas.get(plot)?.axes;
  if (drawn) return [(point[0] - drawn.x.offset) / drawn.x.scale, (point[1] - drawn.y.offset) / drawn.y.scale];
  return /** @type {Point} */ (axesOf(plot).map((axis, i) => axis.p2d(point[i] - axis._offset)));
}
