// The picture of a panel: the plane on screen with the view that is set, drawn when either changes.
import { CanvasAnimation } from "../drawing/animation.mjs";
import { clear, draw, layoutOn, whenResized } from "../drawing/plotly.mjs";
import { union } from "../drawing/scales.mjs";
import { SWITCHED_BY } from "../drawing/trace_switches.mjs";
import { zoomByWheel } from "../drawing/wheel.mjs";
import { hasTouch, wait } from "../page/dom.mjs";
import { state } from "../state.mjs";
import { addedTraces, dress } from "./features.mjs";
import { Recap } from "./recap.mjs";

/** @typedef {import("../types").Axes} Axes */
/** @typedef {import("../types").Plane} Plane */

// The wheel and a new size are answered by the canvas first (zoomByWheel, whenResized).
const CONFIG = { scrollZoom: false, doubleClick: false, responsive: false };

export class Painting {
  /** @param {import("./panel.mjs").Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.plot = panel.part("plot");
    /** @type {Plane | null} */
    this.plane = null; // the plane that is painted
    this.paintedAs = null; // the axes and the scheme that it is painted with
    this.paintedAt = 0; // in ms
    this.nStill = 0;
    /** @type {Axes | null} */
    this.zoom = null; // the axes that the user has chosen, of a panel that is not linked
    this.animation = new CanvasAnimation(panel.part("motion"), this.plot, () => this.rest());
    this.recap = new Recap(panel, this);
    /** What draws the rows of a plane at rest, of many rows. @type {import("../every_row/layer.mjs").RowLayer | null} */
    this.layer = null;
    // On axes that again hold everything.
    this.endFitting = whenResized(this.plot, () => this.paint());
    zoomByWheel(this);
    this.plot.addEventListener("pointerenter", () => this.wake());
  }

  dispose() {
    this.endFitting();
    this.recap.end();
    this.animation.dispose();
    clear(this.plot);
  }

  /** Paints the plane on screen; as it stays where `isStill`. */
  async paint(isStill = false) {
    const { panel } = this;
    const { plane } = panel;
    if (!plane || !panel.figure || panel.isDisposed) return;
    if (isStill) this.recap.end();
    if (this.recap.isOn) return;
    const paintedAs = this.key(this.axes());
    const isSame = this.plane === plane; // on other axes, which a zoom changes many times a second
    this.plane = plane;
    const isRunning = panel.isLive && !panel.isFinal;
    const isLeft = isSame && this.animation.isResting && !this.isInReach(); // on its canvas
    const isAnimated = !isStill && !isLeft && (isSame || this.animation.isOn(isRunning));
    if (isAnimated) this.drawMoving(plane, isRunning);
    else if (!(await this.paintStill(plane))) return;
    this.paintedAs = paintedAs;
    this.paintedAt = performance.now();
    panel.notePainted(plane);
  }

  // Once nothing moves any more.
  async rest() {
    if (!this.recap.isOn) await this.paint(true);
  }

  /** Paints a plane that the run has passed, on the canvas. @param {Plane} plane */
  paintPassed(plane) {
    this.drawMoving(plane, true);
    this.panel.notePainted(plane);
  }

  drawMoving(plane, isRunning) {
    const picture = this.picture(plane);
    this.animation.draw(picture, this.layout(picture.axes), isRunning);
  }

  /** @param {Plane} plane @returns {import("../drawing/glide.mjs").Picture} */
  picture(plane) {
    const { data } = this.panel.figure.plane;
    const own = data.map((style, i) => this.dressed(style, plane.traces[i], i));
    return { plane, traces: [...own, ...addedTraces(this.panel)], axes: this.axes(), features: plane.arrows.features };
  }

  /** Returns whether the plane stays: another may follow before plotly is done. @param {Plane} plane */
  async paintStill(plane) {
    this.layer?.settle(plane);
    const picture = this.picture(plane);
    const layout = this.layout(picture.axes);
    const isInReach = this.isInReach();
    const traces = this.layer?.takeUnder(plane, picture.traces, isInReach) ?? picture.traces;
    if (!isInReach) {
      this.animation.rest(picture, traces, layout);
      return true;
    }
    this.animation.begin(picture);
    const drawn = draw(this.plot, traces, this.interactive(layout), CONFIG);
    this.listenForZoom(); // who woke the picture may already press
    await drawn.then(() => wait(0)); // the page may answer before the rows are drawn
    if (this.animation.to !== picture) return false;
    this.animation.end();
    this.listenForZoom();
    return true;
  }

  // Plotly is needed where someone can reach into the picture, but takes many times as long as the canvas: of
  // several pictures, it draws the one under the pointer.
  isInReach() {
    return hasTouch.matches || this.panel.peers.shown().length === 1 || this.plot.matches(":hover");
  }

  /** Lets plotly draw what the canvas shows. */
  wake() {
    if (this.animation.isResting) this.paint(true).catch(console.warn);
  }

  // A trace with its style and arrays, changed by the switches and the features.
  dressed(style, arrays, position) {
    const trace = { ...style, ...arrays };
    if (arrays.marker) trace.marker = { ...style.marker, ...arrays.marker };
    const name = SWITCHED_BY[style.meta.kind];
    if (name) trace.visible = state[name];
    dress(trace, this.panel, position);
    return trace;
  }

  isStale() {
    const { plane } = this.panel;
    return plane && (this.plane !== plane || this.paintedAs !== this.key(this.axes()));
  }

  key(axes) {
    return `${axes}/${this.panel.figureScheme}`;
  }

  layout(axes) {
    return layoutOn(this.plot, this.panel.figure.plane.layout, axes);
  }

  interactive(layout) {
    this.nStill += 1;
    return {
      ...layout,
      autosize: true, // plotly.react keeps the size of before without it
      dragmode: state.drag,
      // What is selected is state of the page, not what was drawn in one panel.
      selections: [],
      selectionrevision: this.nStill,
    };
  }

  // A line has axes of its own kind.
  isLinked() {
    return state.linked && this.panel.nComponents > 1;
  }

  /** The axes that the picture shows at least. @returns {Axes} */
  axes() {
    if (!this.isLinked()) return this.zoom ?? this.panel.limits;
    const alike = this.panel.peers.shown().filter(({ nComponents }) => nComponents > 1);
    return state.zoom ?? union(alike.map(({ limits }) => limits));
  }

  /** Whether the user has chosen the axes. */
  isZoomed() {
    return (this.isLinked() ? state.zoom : this.zoom) !== null;
  }

  listenForZoom() {
    /** @type {any} */
    const plot = this.plot;
    if (this.isListening || !plot.on) return; // plotly may not have come yet
    this.isListening = true;
    plot.on("plotly_relayout", (change) => "xaxis.range[0]" in change && this.setZoom(axesIn(change)));
    plot.on("plotly_doubleclick", () => this.setZoom(null));
  }

  /** Shows all shown panels, or a panel that is not linked, on axes; null for those that hold everything. @param {Axes | null} zoom */
  setZoom(zoom) {
    if (this.isLinked()) state.zoom = zoom;
    else this.zoom = zoom;
    this.panel.peers.paintOnAxes(this.panel);
  }
}

/** The axes that plotly reports. @returns {Axes} */
function axesIn(change) {
  const range = (axis) => /** @type {import("../types").Range} */ ([change[`${axis}.range[0]`], change[`${axis}.range[1]`]]);
  return [range("xaxis"), range("yaxis")];
}
