// The picture of a panel: the plane on screen with the view that is set, drawn when either changes.
import { ask } from "../page/answers.mjs";
import { isNarrow, lessMotion } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { signal } from "../page/signals.mjs";
import { dragMode, switches } from "../page/switches.mjs";
import { CanvasAnimation } from "../plane/animation.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { Player } from "../plane/clock.mjs";
import { lookAround } from "../plane/looking_around.mjs";
import { drawnAxes, isFitted, measureSize, shownOn, watchSize } from "../plane/pixel_axes.mjs";
import { union } from "../plane/scales.mjs";
import { SWITCHED_BY } from "../plane/traces.mjs";
import { addedTraces, dress } from "./features.mjs";

/** The axes of all linked panels, once the user has chosen them. */
const linkedAxes = signal(/** @type {Axes | null} */ (null));

export class Painting {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.plot = panel.part("plot");
    /** @type {Plane | null} */
    this.plane = null; // the plane that is painted
    this.paintedAs = null; // the axes and the scheme that it is painted with
    this.paintedAt = 0; // in ms
    /** @type {Axes | null} */
    this.zoom = null; // the axes that the user has chosen, of a panel that is not linked
    this.animation = new CanvasAnimation(panel.part("motion"), this.plot, () => this.rest());
    this.recap = new Player((isOn) => isOn || this.endRecap());
    /** What draws the rows of a plane at rest, of many rows. @type {import("../rows/row_layer.mjs").RowLayer | null} */
    this.layer = null;
    /** What dragging from a place does instead of moving the picture; at most one answers. @type {import("../plane/looking_around.mjs").Viewer["take"][]} */
    this.takers = [];
    this.endFitting = watchSize(this.plot, ([width]) => {
      if (drawnAxes(this.plot) && width && !isFitted(this.plot)) this.paint();
    });
    lookAround(this.plot, {
      shown: () => (panel.plane && panel.figure ? this.shown() : null),
      look: (axes) => this.setZoom(axes),
      point: (place) => panel.announce("point", place),
      take: (place, event) => this.takers.map((take) => take(place, event)).find(Boolean) ?? null,
      hasKeys: () => mode.value !== "present",
    });
    this.plot.addEventListener("dblclick", () => dragMode.value === "pan" && this.setZoom(null));
  }

  /** What is on screen where at least these axes are. @param {Axes} axes */
  shown(axes = this.axes()) {
    return shownOn(this.plot, this.panel.figure.plane.layout, axes, numberScale());
  }

  /** The traces that are drawn. */
  get traces() {
    return this.animation.to?.traces ?? [];
  }

  dispose() {
    this.endFitting();
    this.recap.pause();
    this.animation.keep();
  }

  /** Paints the plane on screen; as it stays where `isStill`. */
  paint(isStill = false) {
    const { panel } = this;
    const { plane } = panel;
    if (!plane || !panel.figure || panel.isDisposed) return;
    if (isStill) this.recap.pause();
    if (this.recap.isPlaying) return;
    if (this.plane && !panel.isInSight()) {
      this.animation.keep();
      this.paintedAs = null; // is painted once it comes into sight
      return;
    }
    if (!this.plane) measureSize(this.plot); // what the first news say may have changed it
    const paintedAs = this.key(this.axes());
    const isSame = this.plane === plane; // on other axes, which a zoom changes many times a second
    this.plane = plane;
    const isRunning = panel.isLive && !panel.isFinal;
    // One that rests beside another plane is drawn once on the axes that hold both, where that is quick.
    const isLeft = isSame && this.animation.isResting && (this.isZoomed() || this.paintedAs === paintedAs || !panel.figure.is_sample);
    const isAnimated = !isStill && !isLeft && (isSame || this.animation.isOn(isRunning));
    if (isAnimated) this.drawMoving(plane, isRunning);
    else this.drawStill(plane);
    this.paintedAs = paintedAs;
    this.paintedAt = performance.now();
    panel.notePainted(plane);
  }

  /** Goes on from what another panel shows, which this one takes the place of. @param {Painting} former */
  takeOver({ panel: { figure }, animation }) {
    if (!animation.to || !figure) return;
    const picture = animation.pictureAt(performance.now());
    this.plane = null; // is painted once more, to glide to it
    this.animation.takeOver(picture, shownOn(this.plot, figure.plane.layout, picture.axes, numberScale()).pixels);
  }

  // Once nothing moves any more.
  rest() {
    if (!this.recap.isPlaying) this.paint(true);
  }

  drawMoving(plane, isRunning) {
    const picture = this.picture(plane);
    this.animation.draw(picture, this.shown(picture.axes).pixels, isRunning);
  }

  /** @param {Plane} plane @returns {import("../plane/animation.mjs").Picture} */
  picture(plane) {
    const { data } = this.panel.figure.plane;
    const own = data.map((style, i) => this.dressed(style, plane.traces[i], i));
    // Names of classes stand over the crosses of new rows.
    const isName = ({ meta }) => meta.kind === "class_names";
    const under = [...own.filter((trace) => !isName(trace)), ...addedTraces(this.panel)];
    const traces = [...under, ...own.filter(isName)];
    return { plane, traces, axes: this.axes(), movesAxes: !this.isZoomed(), features: plane.arrows.features };
  }

  drawStill(plane) {
    this.layer?.settle(plane);
    const picture = this.picture(plane);
    this.animation.rest(picture, this.shown(picture.axes).pixels);
  }

  // A trace with its style and arrays, changed by the switches and the features.
  dressed(style, arrays, position) {
    const trace = { ...style, ...arrays };
    if (arrays.marker) trace.marker = { ...style.marker, ...arrays.marker };
    const name = SWITCHED_BY[style.meta.kind];
    if (name) trace.visible = switches[name].value;
    enlarge(trace);
    dress(trace, this.panel, position);
    return trace;
  }

  /**
   * Plays the best planes of a search that was over in a blink within two seconds, before the last one stays, if several
   * were not shown. The numbers are those of the last plane throughout; a click skips the rest.
   * @param {News} news the last ones
   */
  showRecap(news) {
    const { panel } = this;
    const sequences = recapSequences(news);
    if (!sequences.length || lessMotion.matches || !panel.isInSight()) return null;
    panel.node.addEventListener("pointerdown", () => this.recap.pause(), { once: true });
    return this.recap.play(this.passed(sequences)).catch(console.warn);
  }

  /** @param {number[]} sequences */
  async *passed(sequences) {
    const { panel } = this;
    const planes = await Promise.all(sequences.map((sequence) => ask(panel.requests.url(`${sequence}?${panel.query()}`)).then(decodedPlane)));
    yield 0; // it may have been skipped meanwhile
    // One pair of axes holds them all, so that the picture does not pulse.
    panel.limits = union([panel.limits, ...planes.map(({ limits }) => limits)]);
    for (const plane of planes) {
      this.drawMoving(plane, true);
      panel.notePainted(plane);
      yield STEP_MS;
    }
  }

  // The last plane has the axes of its own that it has after a reload.
  endRecap() {
    const { panel } = this;
    if (panel.isDisposed) return;
    panel.limits = panel.plane.limits;
    this.paint();
    panel.peers.paintStale();
  }

  isStale() {
    const { plane } = this.panel;
    return plane && this.panel.isInSight() && (this.plane !== plane || this.paintedAs !== this.key(this.axes()));
  }

  key(axes) {
    return `${axes}/${this.panel.figureScheme}`;
  }

  // A line has axes of its own kind.
  isLinked() {
    return switches.linked.value && this.panel.nComponents > 1;
  }

  /** The axes that the picture shows at least. @returns {Axes} */
  axes() {
    if (!this.isLinked()) return this.zoom ?? this.panel.limits;
    const alike = this.panel.peers.shown().filter(({ nComponents }) => nComponents > 1);
    return linkedAxes.value ?? union(alike.map(({ limits }) => limits));
  }

  /** Whether the user has chosen the axes. */
  isZoomed() {
    return (this.isLinked() ? linkedAxes.value : this.zoom) !== null;
  }

  /** Shows all shown panels, or a panel that is not linked, on axes; null for those that hold everything. @param {Axes | null} zoom */
  setZoom(zoom) {
    if (this.isLinked()) linkedAxes.set(zoom);
    else this.zoom = zoom;
    this.panel.peers.paintOnAxes(this.panel);
  }
}

// The recap of a search that was over in a blink.

const STEP_MS = 150;
const [FEWEST, MOST] = [3, 12];

/**
 * The planes at which a search improved, without the last: evenly thinned, none if they are few.
 * @param {News} news of the planes that were not shown
 * @returns {number[]} sequences
 */
export function recapSequences({ sequences, objective, best }) {
  const improved = sequences.filter((_, i) => objective[i] >= best[i] && best[i] > (best[i - 1] ?? -Infinity));
  const passed = improved.filter((sequence) => sequence !== sequences.at(-1));
  if (passed.length < FEWEST) return [];
  const n = Math.min(MOST, passed.length);
  return Array.from({ length: n }, (_, i) => passed[Math.round((i * (passed.length - 1)) / (n - 1))]);
}

// The size of a mode: traces of Present are read from the back of the room, and several panels have
// little room for the names of the classes.

const LARGER = { text: 1.6, marker: 1.35, line: 1.4 };
const CLASS_NAMES_OF_SEVERAL = 0.8;
// Names of classes, of 15 pixels, are 2.7 % of such a height, those of features, of 12, are 2.5 %; so they stay on higher screens.
const HALL_PX = 560;
const HALL_OF_FEATURES_PX = 480;

/** How much larger the text of a trace is in this mode than in the figure. @param {string} kind */
export function textScale(kind) {
  if (mode.value === "present") return isNarrow() ? LARGER.text : Math.max(LARGER.text, innerHeight / hallOf(kind));
  return mode.value === "compare" && kind === "class_names" ? CLASS_NAMES_OF_SEVERAL : 1;
}

const hallOf = (kind) => (kind === "arrow_heads" ? HALL_OF_FEATURES_PX : HALL_PX);

// The numbers of the axes leave the picture its room on a phone.
const numberScale = () => (mode.value === "present" && !isNarrow() ? textScale("numbers") : 1);

/** Sizes a trace for the mode. @param {Trace} trace */
function enlarge(trace) {
  const { textfont, marker, line } = trace;
  if (textfont) trace.textfont = { ...textfont, size: textScale(trace.meta.kind) * textfont.size };
  if (mode.value !== "present") return;
  if (marker) trace.marker = { ...marker, size: LARGER.marker * marker.size };
  if (line?.width) trace.line = { ...line, width: LARGER.line * line.width };
}
