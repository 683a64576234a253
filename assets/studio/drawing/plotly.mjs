// All that the page knows of plotly. Its private attributes (_fullLayout and the _offset, _length,
// d2p and p2d of an axis) are read here and nowhere else: plotly has no public way from data to
// pixels (https://github.com/plotly/plotly.js/issues/5764).
import { withEqualUnits } from "./scales.mjs";

/** @typedef {import("../types").Axes} Axes */
/** @typedef {import("../types").PixelAxis} PixelAxis */
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

/** Text in which plotly finds no markup. @param {string} text */
export const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Removes a figure. @param {Element} plot */
export const clear = (plot) => window.Plotly?.purge(plot);

/** Whether plotly has drawn a figure here. @param {any} plot */
export const isDrawn = (plot) => Boolean(plot._fullLayout);

/** The size of the figure, which takes no layout of the page. @param {any} plot @returns {[number, number]} */
export const drawnSize = ({ _fullLayout: { width, height } }) => [width, height];

/** Whether the figure is as wide as its element. @param {any} plot */
export const isFitted = (plot) => plot._fullLayout?.width === plot.clientWidth;

/**
 * Keeps a figure as large as its element, and calls back after each change.
 * @param {HTMLElement} plot
 * @param {() => void} onFit
 * @returns {() => void} what ends that
 */
export function keepFitted(plot, onFit) {
  const observer = new ResizeObserver(() => {
    if (isDrawn(plot) && plot.clientWidth) window.Plotly.Plots.resize(plot).then(onFit);
  });
  observer.observe(plot);
  return () => observer.disconnect();
}

/**
 * The axes in pixels as plotly has laid them out; or, before it has drawn, as it will, without a
 * grid, whose step is plotly's choice.
 * @param {any} plot
 * @param {any} layout that the figure has or will have
 * @returns {{ x: PixelAxis, y: PixelAxis, hasEqualUnits: boolean }}
 */
export function pixelAxes(plot, layout) {
  const { xaxis, yaxis } = plot._fullLayout ?? expectedAxes(plot, layout);
  return { x: pixelAxis(xaxis), y: pixelAxis(yaxis), hasEqualUnits: Boolean(yaxis.scaleanchor) };
}

function expectedAxes({ clientWidth, clientHeight }, { margin: { l, r, t, b }, xaxis, yaxis }) {
  return {
    xaxis: { ...xaxis, _offset: l, _length: clientWidth - l - r },
    yaxis: { ...yaxis, _offset: t, _length: clientHeight - t - b },
  };
}

function pixelAxis({ _offset: offset, _length: length, gridcolor: gridColor, dtick: tickStep }) {
  return { offset, length, gridColor, tickStep };
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
 * From data to pixels within the figure.
 * @param {any} plot
 * @param {Point} point
 * @returns {Point}
 */
export function toPixels(plot, point) {
  return /** @type {Point} */ (axesOf(plot).map((axis, i) => axis._offset + axis.d2p(point[i])));
}

/**
 * From pixels within the figure to data.
 * @param {any} plot
 * @param {Point} point
 * @returns {Point}
 */
export function toData(plot, point) {
  return /** @type {Point} */ (axesOf(plot).map((axis, i) => axis.p2d(point[i] - axis._offset)));
}
