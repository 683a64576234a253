// The painter of a plane: from the arrays of a plane and how it is viewed to a picture on a canvas, which
// moves to the next one. It knows neither the studio's state nor who shows it.
import { MORE_LAYERS } from "../constants.mjs";
import { hide } from "../page/dom.mjs";
import { CanvasAnimation } from "./animation.mjs";
import { Names } from "./names.mjs";
import { drawnAxes, onAxes, shownOn } from "./pixel_axes.mjs";
import { isPoints, SWITCHED_BY } from "./traces.mjs";

/**
 * A plane, and how it is viewed.
 * @typedef {object} View
 * @property {{ traces: Record<string, any>[], arrows: { features: number[], names: string[] } }} plane
 * @property {{ data: Trace[], layout: any }} figure the styles of its traces, and their axes
 * @property {[string, string] | null} titles of the axes, where they are said
 * @property {string} surface the color behind the picture
 * @property {readonly string[]} hidden switches that are off
 * @property {readonly string[]} layers that are on, of those which are off until they are asked for
 * @property {number[] | null} classes that alone are shown
 * @property {number[][] | null} selected by trace of points in their order, the points that stand out
 * @property {number[] | null} arrows features whose arrows are drawn; those with room for their names by default
 * @property {number[]} unseen features of which no effect is seen
 * @property {import("./still_rows.mjs").StillRows | null} [every] what draws every row, where the traces have a sample
 */

const FAINT = 0.1; // as in the studio, where rows and classes are selected

/**
 * The traces of a picture, before its names are placed.
 * @param {View} view
 * @returns {Trace[]}
 */
export function tracesOf({ plane, figure, hidden, layers, classes, selected }) {
  let nPoints = 0;
  return figure.data.map((style, i) => {
    const arrays = plane.traces[i];
    /** @type {Trace} */
    const trace = { ...style, ...arrays, x: arrays.x ?? [], y: arrays.y ?? [] };
    if (arrays.marker) trace.marker = { ...style.marker, ...arrays.marker };
    const { kind, class: code } = style.meta;
    if (kind in SWITCHED_BY) trace.visible = isOn(SWITCHED_BY[kind], hidden, layers);
    const isAside = code !== undefined && classes !== null && !classes.includes(code);
    if (isPoints(style)) dressPoints(trace, isAside, selected?.[nPoints++]);
    else trace.visible = trace.visible !== false && !isAside;
    return trace;
  });
}

function dressPoints(trace, isAside, chosen) {
  if (isAside) trace.opacity = FAINT;
  if (!chosen) return;
  trace.selectedpoints = chosen;
  trace.unselected = { marker: { opacity: FAINT } };
}

// A layer is off until it is asked for, a switch is on until it is not.
const isOn = (name, hidden, layers) => (MORE_LAYERS.includes(name) ? layers.includes(name) : !hidden.includes(name));

/** @param {View} view @returns {import("./names.mjs").Named} */
const namedIn = ({ plane, figure, surface, hidden, layers, arrows, unseen }) => ({
  plane,
  styles: figure.data,
  surface,
  faintInk: figure.layout.xaxis.tickfont.color,
  unseen: new Set(unseen),
  arrowLimit: Infinity,
  only: arrows,
  textScale: () => 1,
  has: { names: isOn("names", hidden, layers), centroids: isOn("centroids", hidden, layers) },
  taken: () => [],
});

export class Painter {
  /**
   * @param {HTMLCanvasElement} canvas that fills the picture
   * @param {HTMLElement} plot the picture
   * @param {() => void} [onRest] told that the last picture stays, and the first is on screen
   */
  constructor(canvas, plot, onRest = () => undefined) {
    this.plot = plot;
    /** @type {Trace[]} */
    this.traces = []; // that are shown
    /** @type {import("./still_rows.mjs").StillRows | null} */
    this.every = null;
    this.animation = new CanvasAnimation(canvas, plot, () => {
      this.animation.keep();
      onRest();
    });
  }

  dispose() {
    this.animation.dispose();
  }

  /**
   * Moves the picture to a plane, or shows the same one otherwise.
   * @param {View} view
   * @param {Axes} axes that are shown at least
   */
  show(view, axes) {
    const { plane, titles } = view;
    const { pixels } = this.shown(view, axes);
    const names = new Names(namedIn(view), axes, pixels);
    this.traces = tracesOf(view);
    for (const trace of this.traces) names.dress(trace);
    this.drawBelow(view.every ?? null, pixels);
    const { features } = plane.arrows;
    const picture = { plane, traces: this.traces, axes, features, titles };
    this.animation.draw(picture, pixels, false);
  }

  // The rows come with the grid; the sample of them would lie over them.
  drawBelow(every, pixels) {
    if (this.every && this.every !== every) hide(this.every.canvas, true);
    this.every = every;
    this.animation.onAxes = every && ((axes) => every.draw(axes, pixels));
    if (!every) return;
    hide(every.canvas, false);
    for (const trace of this.traces) if (isPoints(trace)) trace.visible = false;
  }

  /**
   * What is on screen of a view.
   * @param {View} view
   * @param {Axes} axes that are shown at least
   */
  shown({ figure }, axes) {
    return shownOn(this.plot, figure.layout, axes);
  }

  /** The point that is nearest to a place, within reach. @param {Point} place in pixels @param {number} reach */
  nearest(place, reach) {
    const axes = drawnAxes(this.plot);
    return axes && nearestPoint(this.traces, place, (point) => onAxes(axes, point), reach);
  }
}

/**
 * The point nearest to a place, within a distance in pixels; null for none.
 * @param {Trace[]} traces
 * @param {Point} place in pixels
 * @param {(point: Point) => Point} toPixels
 * @param {number} reach in pixels
 * @returns {{ trace: number, index: number, at: Point } | null}
 */
export function nearestPoint(traces, place, toPixels, reach) {
  let best = null;
  let least = reach;
  traces.forEach((trace, number) => {
    const { x, y, opacity = 1 } = trace;
    if (!isPoints(trace) || opacity < 1) return;
    for (let index = 0; index < x.length; index += 1) {
      const at = toPixels([x[index], y[index]]);
      const distance = Math.hypot(at[0] - place[0], at[1] - place[1]);
      if (distance < least) [least, best] = [distance, { trace: number, index, at }];
    }
  });
  return best;
}
