// The painter of a plane: from the arrays of a plane and how it is viewed to a picture on a canvas, which
// moves to the next one. It knows neither the studio's state nor who shows it.
import { hide } from "../page/dom.mjs";
import { CanvasAnimation } from "./animation.mjs";
import { Names } from "./names.mjs";
import { drawnAxes, isFitted, onAxes, shownOn, sizeOf, watchSize } from "./pixel_axes.mjs";
import { isOn, isPoints, SWITCHED_BY } from "./traces.mjs";

/** How a plane is viewed where nothing else is said. @type {View} */
export const PLAIN = {
  plane: null, figure: null, surface: "", axes: null, zoom: null, titles: null, hidden: [], layers: [], classes: null, selected: null,
  rows: null, columns: { colors: null, symbols: null }, arrows: null, arrowLimit: Infinity, unseen: [],
  sizes: { text: () => 1, numbers: 1, marker: 1, line: 1 }, added: [], every: null,
};

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
    markBy(trace, view, i);
    return trace;
  });
}

function dressPoints(trace, isAside, chosen) {
  if (isAside) trace.opacity = FAINT;
  if (!chosen) return;
  trace.selectedpoints = chosen;
  trace.unselected = { marker: { opacity: FAINT } };
}

/** @param {Trace} trace @param {View} view @param {number} position */
function markBy(trace, { figure: { layout }, columns: { colors, symbols }, every }, position) {
  const { kind } = trace.meta;
  if (isPoints(trace)) {
    if (colors) trace.marker = { ...trace.marker, color: colors.marks[position] };
    if (symbols) trace.marker = { ...trace.marker, symbol: symbols.marks[position].map((name) => (kind === "held_out" ? `${name}-open` : name)) };
  } else if (kind === "contour" && (colors || every?.drawn.labeled)) {
    // The colors of the classes would be read as values, and not be seen on crowds of that color.
    Object.assign(trace, { line: { ...trace.line, color: layout.font.color, width: 0.7 }, fill: "none", opacity: 0.45 });
  }
}

/** @param {Trace} trace @param {Sizes} sizes */
function enlarge(trace, sizes) {
  const { textfont, marker, line, meta } = trace;
  if (textfont) trace.textfont = { ...textfont, size: sizes.text(meta.kind) * textfont.size };
  if (marker) trace.marker = { ...marker, size: sizes.marker * marker.size };
  if (line?.width) trace.line = { ...line, width: sizes.line * line.width };
}

export class Painter {
  /**
   * @param {HTMLCanvasElement} canvas that fills the picture
   * @param {HTMLElement} plot the picture
   */
  constructor(canvas, plot) {
    this.canvas = canvas;
    this.plot = plot;
    this.view = { ...PLAIN };
    /** @type {Trace[]} */
    this.traces = []; // that are shown: those of the figure, then those that are added
    /** @type {Names | null} */
    this.names = null; // that are shown
    /** @type {View["every"]} */
    this.every = null; // that is drawn
    this.animation = new CanvasAnimation(canvas, plot, () => this.rest());
    this.endFitting = watchSize(plot, ([width]) => width && !isFitted(plot) && this.refit());
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

  // The picture has another size.
  refit() {
    this.draw();
  }

  // Once nothing moves any more; a slow page is still on its way to what stays.
  rest() {
    this.animation.rest(this.animation.to, this.shown().pixels);
  }

  /** What is on screen, for another painter in its place to go on from. @returns {Left | null} */
  left() {
    const { animation, view } = this;
    return animation.to && view.figure ? { picture: animation.pictureAt(performance.now()), layout: view.figure.layout } : null;
  }

  /** Draws the view, to which the picture moves if it has shown something. @param {{ isStill?: boolean, isRunning?: boolean, lastsMs?: number | null }} [how] how long it is on its way and watched, where that is not for planes to say */
  draw({ isStill = !this.animation.to, isRunning = false, lastsMs = null } = {}) {
    const { view, animation } = this;
    if (!view.plane || !sizeOf(this.plot)[0]) return;
    const { pixels } = this.shown();
    const axes = this.axes();
    this.names = new Names(view, axes, pixels);
    this.traces = [...tracesOf(view), ...view.added];
    for (const trace of this.traces) {
      enlarge(trace, view.sizes);
      this.names.dress(trace);
    }
    this.drawBelow(pixels);
    const traces = this.traces.toSorted((one, other) => Number(isName(one)) - Number(isName(other)));
    const picture = { plane: view.plane, traces, axes, movesAxes: !this.isZoomed(), features: view.plane.arrows.features, titles: view.titles, lastsMs };
    if (isStill) animation.rest(picture, pixels);
    else animation.draw(picture, pixels, isRunning);
  }

  // The rows come with the grid; the sample of them would lie over them.
  drawBelow(pixels) {
    const { every } = this.view;
    if (this.every && this.every !== every) hide(this.every.canvas, true);
    this.every = every;
    this.animation.onAxes = every && ((axes) => every.draw(axes, pixels, this.view));
    if (!every) return;
    hide(every.canvas, false);
    if (every.drawn.labeled) for (const trace of this.traces) if (isPoints(trace)) trace.visible = false;
  }

  /** The axes that are shown at least. @returns {Axes} */
  axes() {
    return this.view.zoom ?? this.view.axes;
  }

  /** Whether the axes are those that a person has chosen. */
  isZoomed() {
    return this.view.zoom !== null;
  }

  /** What is on screen where at least these axes are; null where nothing is. */
  shown(axes = this.axes()) {
    const { figure, sizes } = this.view;
    return figure && shownOn(this.plot, figure.layout, axes, sizes.numbers);
  }

  /** The point that is nearest to a place, within reach; a row by default. @param {Point} place in pixels @param {number} reach @param {(trace: Trace) => boolean} [counts] */
  nearest(place, reach, counts) {
    const axes = drawnAxes(this.plot);
    return axes && nearestPoint(this.traces, place, (point) => onAxes(axes, point), reach, counts);
  }
}

// Names of classes stand over the crosses of new rows.
const isName = ({ meta }) => meta.kind === "class_names";

/**
 * The point nearest to a place, within a distance in pixels; null for none.
 * @param {Trace[]} traces
 * @param {Point} place in pixels
 * @param {(point: Point) => Point} toPixels
 * @param {number} reach in pixels
 * @param {(trace: Trace) => boolean} [counts] whether the points of a trace do: those of rows that have not stepped back
 * @returns {{ trace: number, index: number, at: Point } | null}
 */
export function nearestPoint(traces, place, toPixels, reach, counts = (trace) => isPoints(trace) && (trace.opacity ?? 1) === 1) {
  let best = null;
  let least = reach;
  traces.forEach((trace, number) => {
    const { x, y } = trace;
    if (!counts(trace)) return;
    for (let index = 0; index < x.length; index += 1) {
      const at = toPixels([x[index], y[index]]);
      const distance = Math.hypot(at[0] - place[0], at[1] - place[1]);
      if (distance < least) [least, best] = [distance, { trace: number, index, at }];
    }
  });
  return best;
}
