// All that the page knows of plotly. Its private attributes (_fullLayout and the _offset, _length,
// d2p and p2d of an axis) are read here and nowhere else: plotly has no public way from data to
// pixels (https://github.com/plotly/plotly.js/issues/5764).
import { canvasAxes, canvasSize, onAxes, sizeOf, toAxes, watchSize } from "./pixel_axes.mjs";

/** @typedef {import("../types").Axes} Axes */
/** @typedef {import("../types").DrawnAxes} DrawnAxes */
/** @typedef {import("../types").Point} Point */

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

/** Removes a figure. @param {Element} plot */
export const clear = (plot) => window.Plotly?.purge(plot);

/** Whether plotly has drawn a figure here. @param {any} plot */
export const isDrawn = (plot) => Boolean(plot._fullLayout);

/** Whether the picture is as large as its element. @param {any} plot */
export function isFitted(plot) {
  const { width, height } = plot._fullLayout ?? {};
  const [wide, high] = sizeOf(plot);
  const [drawnWide, drawnHigh] = canvasSize(plot) ?? [width, height];
  return Math.abs(drawnWide - wide) < 1 && Math.abs(drawnHigh - high) < 1;
}

/**
 * Calls back when a picture is no longer as large as its element; the next drawing of it is.
 * @param {HTMLElement} plot
 * @param {() => void} onChange
 * @returns {() => void} what ends that
 */
export function whenResized(plot, onChange) {
  return watchSize(plot, ([width]) => {
    if (hasPicture(plot) && width && !isFitted(plot)) onChange();
  });
}

const axesOf = ({ _fullLayout: { xaxis, yaxis } }) => [xaxis, yaxis];

/** Whether there is a picture, on a canvas or by plotly. @param {HTMLElement} plot */
export const hasPicture = (plot) => canvasAxes(plot) !== null || isDrawn(plot);

/**
 * From data to pixels within the figure.
 * @param {any} plot
 * @param {Point} point
 * @returns {Point}
 */
export function toPixels(plot, point) {
  const drawn = canvasAxes(plot);
  if (drawn) return onAxes(drawn, point);
  return /** @type {Point} */ (axesOf(plot).map((axis, i) => axis._offset + axis.d2p(point[i])));
}

/** The axes that plotly has drawn, in pixels of the figure. @param {HTMLElement} plot @returns {DrawnAxes} */
export function drawnAxes(plot) {
  const [[left, top], [right, bottom]] = [toPixels(plot, [0, 0]), toPixels(plot, [1, 1])];
  return { x: { offset: left, scale: right - left }, y: { offset: top, scale: bottom - top } };
}

/**
 * From pixels within the figure to data.
 * @param {any} plot
 * @param {Point} point
 * @returns {Point}
 */
export function toData(plot, point) {
  const drawn = canvasAxes(plot);
  if (drawn) return toAxes(drawn, point);
  return /** @type {Point} */ (axesOf(plot).map((axis, i) => axis.p2d(point[i] - axis._offset)));
}
