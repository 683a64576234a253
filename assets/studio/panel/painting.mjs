// The picture of a panel: the plane on screen with the view that is set, drawn when either changes.
import { ask } from "../page/answers.mjs";
import { isNarrow, lessMotion } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange, signal } from "../page/signals.mjs";
import { dragMode, hiddenSwitches, shownLayers, switches } from "../page/switches.mjs";
import { isTurn } from "../plane/animation.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { Player } from "../plane/clock.mjs";
import { lookAround } from "../plane/looking_around.mjs";
import { Painter } from "../plane/painter.mjs";
import { isMeasured, measureSize, shownOn } from "../plane/pixel_axes.mjs";
import { union } from "../plane/scales.mjs";
import { changeView } from "./features.mjs";
import { shownData } from "./run_list.mjs";

/** The axes of all linked panels, once the user has chosen them. */
const linkedAxes = signal(/** @type {Axes | null} */ (null));
onChange(shownData, () => linkedAxes.set(null)); // pictures of other rows
/** Those that hold all linked panels. @type {Axes | null} */
let holding = null;
// What is looked at: rows going from where they were fitted to where planes that never saw them put them, and one view of a
// talk turning into the next.
const WATCHED_MS = 900;
const LEAST_HELD = 0.5; // of a side, so that runs which go on do not shrink in the picture

export class Painting extends Painter {
  /** @param {Panel} panel */
  constructor(panel) {
    super(panel.part("motion"), panel.part("plot"));
    this.panel = panel;
    /** @type {Plane | null} */
    this.plane = null; // the plane that is painted
    this.paintedAs = null; // the axes and the scheme that it is painted with
    this.paintedAt = 0; // in ms
    /** @type {Axes | null} */
    this.zoom = null; // the axes that the user has chosen, of a panel that is not linked
    /** What it goes on from until it has a plane. @type {Left | null} */
    this.takenOver = null;
    this.recap = new Player((isOn) => isOn || this.endRecap());
    /** What draws the rows of a plane at rest, of many rows. @type {import("../rows/row_layer.mjs").RowLayer | null} */
    this.layer = null;
    /** What dragging from a place does instead of moving the picture; at most one answers. @type {Viewer["take"][]} */
    this.takers = [];
    lookAround(this.plot, this);
    this.plot.addEventListener("dblclick", () => dragMode.value === "pan" && this.look(null));
  }

  /** @param {Point | null} place */
  point(place) {
    this.panel.announce("point", place);
  }

  /** @param {Point} place @param {PointerEvent} event */
  take(place, event) {
    return this.takers.map((take) => take(place, event)).find(Boolean) ?? null;
  }

  hasKeys() {
    return mode.value !== "present";
  }

  dispose() {
    this.recap.pause();
    super.dispose();
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
    const isRunning = panel.isLive && !panel.isFinal;
    // Rows turn to their other places at once where several panels share the page's time.
    const turns = mode.value !== "compare" && isTurn(this.plane, plane);
    this.plane = plane;
    // One that rests beside another plane is drawn once on the axes that hold both, where that is quick.
    const isLeft = isSame && this.animation.isResting && (this.isZoomed() || this.paintedAs === paintedAs || !panel.figure.is_sample);
    const isWatched = turns || (mode.value === "present" && !isRunning && !isSame && this.animation.isStep());
    const isAnimated = !isStill && !isLeft && (isSame || isWatched || this.animation.isOn(isRunning));
    if (!isAnimated) this.layer.settle(plane);
    this.drawPlane(plane, { isStill: !isAnimated, isRunning, lastsMs: isWatched ? WATCHED_MS : null });
    this.paintedAs = paintedAs;
    this.paintedAt = performance.now();
    panel.notePainted(plane);
  }

  /** Goes on from what was on screen in this place. @param {Left} left */
  takeOver(left) {
    this.plane = null; // is painted once more, to glide to it
    this.takenOver = left;
    // A new picture is shown once the page is laid out with it, which is not to delay the request for its first plane.
    if (isMeasured(this.plot)) this.showTakenOver();
  }

  showTakenOver() {
    const { picture, layout } = this.takenOver;
    this.animation.takeOver(picture, shownOn(this.plot, layout, picture.axes, sizes().numbers).pixels);
  }

  /** No plane will come: what another run has found is not shown as that of this one. */
  giveUp() {
    this.takenOver = null;
    this.animation.giveUp();
  }

  refit() {
    if (!this.plane && this.takenOver) this.showTakenOver();
    this.paint();
  }

  rest() {
    if (!this.recap.isPlaying) this.paint(true);
  }

  // As the page has switched its view, and as features change it.
  drawPlane(plane, how) {
    const { panel, view } = this;
    const { figure, arrowLimit, unseen } = panel;
    const switched = { hidden: hiddenSwitches(), layers: shownLayers() };
    Object.assign(view, { plane, figure: figure.plane, surface: figure.surface, ...switched, arrowLimit, unseen, sizes: sizes(), added: [] });
    changeView(view, panel);
    this.draw(how);
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
      this.drawPlane(plane, { isStill: false, isRunning: true });
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
    const limits = union(alike.map((panel) => panel.limits));
    // While a run goes on they do not follow each of its planes, or all panels would be drawn with each.
    const held = union([holding, limits]);
    const isFilled = limits.every(([low, high], i) => high - low > LEAST_HELD * (held[i][1] - held[i][0]));
    holding = isFilled && !alike.every(({ isFinal }) => isFinal) ? held : limits;
    return linkedAxes.value ?? holding;
  }

  /** The axes that the user has chosen; null where the picture holds everything. @returns {Axes | null} */
  chosenAxes() {
    return this.isLinked() ? linkedAxes.value : this.zoom;
  }

  isZoomed() {
    return this.chosenAxes() !== null;
  }

  /** Shows all shown panels, or a panel that is not linked, on axes; null for those that hold everything. @param {Axes | null} zoom */
  look(zoom) {
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

// The size of a mode: pictures of Present are read from the back of the room, and several panels have
// little room for the names of the classes.

const LARGER = { text: 1.6, marker: 1.35, line: 1.4 };
const CLASS_NAMES_OF_SEVERAL = 0.8;
// Names of classes, of 15 pixels, are 2.7 % of such a height, those of features, of 12, are 2.5 %; so they stay on higher screens.
const HALL_PX = 560;
const HALL_OF_FEATURES_PX = 480;

/** @returns {Sizes} */
function sizes() {
  if (mode.value !== "present") {
    const text = (kind) => (mode.value === "compare" && kind === "class_names" ? CLASS_NAMES_OF_SEVERAL : 1);
    return { text, numbers: 1, marker: 1, line: 1 };
  }
  // The numbers of the axes leave the picture its room on a phone.
  if (isNarrow()) return { ...LARGER, text: () => LARGER.text, numbers: 1 };
  const text = (kind) => Math.max(LARGER.text, innerHeight / (kind === "arrow_heads" ? HALL_OF_FEATURES_PX : HALL_PX));
  return { ...LARGER, text, numbers: text("numbers") };
}
