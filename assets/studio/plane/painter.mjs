// The painter of a plane: from the arrays of a plane and how it is viewed to a picture on a canvas, which
// moves to the next one. It knows neither the studio's state nor who shows it.
import { MORE_LAYERS } from "../constants.mjs";
import { hide } from "../page/dom.mjs";
import { CanvasAnimation } from "./animation.mjs";
import { nextFrame } from "./clock.mjs";
import { Names } from "./names.mjs";
import { drawnAxes, onAxes, shownOn, watchSize } from "./pixel_axes.mjs";
import { isPoints, SWITCHED_BY } from "./traces.mjs";

/**
 * A plane, and how it is viewed.
 * @typedef {object} View
 * @property {{ traces: Record<string, any>[], arrows: { features: number[], names: string[] } }} plane
 * @property {{ data: Trace[], layout: any }} figure the styles of its traces, and their axes
 * @property {string} surface the color behind the picture
 * @property {Axes} axes that are shown at least
 * @property {Axes | null} zoom those that are shown instead
 * @property {[string, string] | null} titles of the axes, where they are said
 * @property {readonly string[]} hidden switches that are off
 * @property {readonly string[]} layers that are on, of those which are off until they are asked for
 * @property {number[] | null} classes that alone are shown
 * @property {number[][] | null} selected by trace of points in their order, the points that stand out
 * @property {number[] | null} arrows features whose arrows are drawn; those with room for their names by default
 * @property {number[]} unseen features of which no effect is seen
 * @property {import("./every_row.mjs").EveryRow | null} every what draws every row, where the traces have a sample
 */

const PLAIN = { zoom: null, titles: null, hidden: [], layers: [], classes: null, selected: null, arrows: null, unseen: [], every: null };

const FAINT = 0.1; // as in the studio, where rows and classes are selected

/**
 * The traces of a picture, before its names are placed.
 * @param {View} view
 * @returns {Trace[]}
 */
export function tracesOf(view) {
  const { plane, figure, classes, selected } = view;
  let nPoints = 0;
  return figure.data.map((style, i) => {
    const arrays = plane.traces[i];
    /** @type {Trace} */
    const trace = { ...style, ...arrays, x: arrays.x ?? [], y: arrays.y ?? [] };
    if (arrays.marker) trace.marker = { ...style.marker, ...arrays.marker };
    const { kind, class: code } = style.meta;
    if (kind in SWITCHED_BY) trace.visible = isOn(view, SWITCHED_BY[kind]);
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
const isOn = ({ hidden, layers }, name) => (MORE_LAYERS.includes(name) ? layers.includes(name) : !hidden.includes(name));

export class Painter {
  /**
   * @param {HTMLCanvasElement} canvas that fills the picture
   * @param {HTMLElement} plot the picture
   * @param {() => void} [onRest] told that the last picture stays, and the first is on screen
   */
  constructor(canvas, plot, onRest = () => undefined) {
    this.canvas = canvas;
    this.plot = plot;
    /** @type {View} */
    this.view = /** @type {any} */ ({ ...PLAIN });
    /** @type {Trace[]} */
    this.traces = []; // that are shown
    /** @type {View["every"]} */
    this.every = null; // that is drawn
    this.onRest = onRest;
    this.animation = new CanvasAnimation(canvas, plot, () => {
      this.animation.rest(this.animation.to, this.shown().pixels); // a slow page is still on its way to it
      onRest();
    });
    this.endFitting = watchSize(plot, () => this.draw());
  }

  dispose() {
    this.endFitting();
    this.animation.keep();
    this.view.every?.dispose();
  }

  /** Moves the picture to another plane, or shows the same one otherwise. @param {Partial<View>} change */
  show(change) {
    Object.assign(this.view, change);
    this.draw();
  }

  draw() {
    const { view } = this;
    if (!view.plane || !this.plot.clientWidth) return;
    const { pixels } = this.shown();
    const has = { names: isOn(view, "names"), centroids: isOn(view, "centroids") };
    const names = new Names({ ...view, unseen: new Set(view.unseen), has }, this.axes, pixels);
    this.traces = tracesOf(view);
    for (const trace of this.traces) names.dress(trace);
    this.drawBelow(pixels);
    const picture = { plane: view.plane, traces: this.traces, axes: this.axes, features: view.plane.arrows.features, titles: view.titles };
    if (this.animation.to) this.animation.draw(picture, pixels, false);
    else this.begin(picture, pixels);
  }

  // There is nothing that it moves from.
  begin(picture, pixels) {
    this.animation.rest(picture, pixels);
    nextFrame().then(this.onRest);
  }

  // The rows come with the grid; the sample of them would lie over them.
  drawBelow(pixels) {
    const { every } = this.view;
    if (this.every && this.every !== every) hide(this.every.canvas, true);
    this.every = every;
    this.animation.onAxes = every && ((axes) => every.draw(axes, pixels, this.view));
    if (!every) return;
    hide(every.canvas, false);
    for (const trace of this.traces) if (isPoints(trace)) trace.visible = false;
  }

  /** The axes that are shown at least. */
  get axes() {
    return this.view.zoom ?? this.view.axes;
  }

  /** What is on screen. */
  shown() {
    return shownOn(this.plot, this.view.figure.layout, this.axes);
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
