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

/** The sizes of elements that are watched: to ask for one takes a layout of the page. @type {WeakMap<Element, [number, number]>} */
const sizes = new WeakMap();

/** @param {HTMLElement} plot @returns {[number, number]} */
export function sizeOf(plot) {
  const known = sizes.get(plot);
  return known?.[0] ? known : [plot.clientWidth, plot.clientHeight]; // it may just have been hidden
}

/** Whether the figure is as large as its element. @param {any} plot */
export function isFitted(plot) {
  const { width, height } = plot._fullLayout;
  const [wide, high] = sizeOf(plot);
  return Math.abs(width - wide) < 1 && Math.abs(height - high) < 1;
}

/**
 * Calls back when a figure is no longer as large as its element; the next drawing of it is.
 * @param {HTMLElement} plot
 * @param {() => void} onChange
 * @returns {() => void} what ends that
 */
export function whenResized(plot, onChange) {
  const observer = new ResizeObserver(([{ contentRect: { width, height } }]) => {
    sizes.set(plot, [width, height]);
    if (isDrawn(plot) && width && !isFitted(plot)) onChange();
  });
  observer.observe(plot);
  return () => observer.disconnect();
}

/**
 * The axes in pixels as plotly has laid them out; or, before it has drawn in this size, as it will, with
 * the grid that is drawn, for its step is plotly's choice.
 * @param {any} plot
 * @param {any} layout that the figure has or will have
 * @returns {{ x: PixelAxis, y: PixelAxis, hasEqualUnits: boolean }}
 */
export function pixelAxes(plot, layout) {
  const { xaxis, yaxis } = isDrawn(plot) && isFitted(plot) ? plot._fullLayout : expectedAxes(plot, layout);
  return { x: pixelAxis(xaxis), y: pixelAxis(yaxis), hasEqualUnits: Boolean(yaxis.scaleanchor) };
}

function expectedAxes(plot, { margin: { l, r, t, b }, xaxis, yaxis }) {
  const drawn = plot._fullLayout;
  const [width, height] = sizeOf(plot);
  return {
    xaxis: { dtick: drawn?.xaxis.dtick, ...xaxis, _offset: l, _length: width - l - r },
    yaxis: { dtick: drawn?.yaxis.dtick, ...yaxis, _offset: t, _length: height - t - b },
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

/** The axes of the figures over which an animation draws. @type {WeakMap<HTMLElement, import("../types").DrawnAxes>} */
const moving = new WeakMap();

/**
 * Notes on what axes a picture is that is drawn over a figure; null once the figure is seen again.
 * @param {HTMLElement} plot
 * @param {import("../types").DrawnAxes | null} axes
 */
export function noteMovingAxes(plot, axes) {
  if (axes) moving.set(plot, axes);
  else moving.delete(plot);
}

/**
 * From data to pixels within the figure.
 * @param {any} plot
 * @param {Point} point
 * @returns {Point}
 */
export function toPixels(plot, point) {
  const drawn = moving.get(plot);
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
  const drawn = moving.get(plot);
  if (drawn) return [(point[0] - drawn.x.offset) / drawn.x.scale, (point[1] - drawn.y.offset) / drawn.y.scale];
  return /** @type {Point} */ (axesOf(plot).map((axis, i) => axis.p2d(point[i] - axis._offset)));
}
