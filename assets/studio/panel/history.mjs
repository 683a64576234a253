// The history of a run: its curve, the slider through its planes, and the player.
import { GAMMA_BOUNDS } from "../constants.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { hide, lessMotion, playButton, rangeInput, write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { showNotice } from "../page/notice.mjs";
import { gammaAt } from "../page/settings.mjs";
import { signal } from "../page/signals.mjs";
import { Player } from "../plane/clock.mjs";
import { sendCommand } from "./commands.mjs";
import { accuracyTraces, ChartCanvas, divergenceTraces, objectiveTraces, rangeOf, valueRange } from "./curve.mjs";
import { isBetweenPlanes, isOfTree, morphIn } from "./view_options.mjs";

/** @typedef {{ name: string, caption?: string, range: Extent, values?: Extent | null, ticks?: import("./curve.mjs").Chart["ticks"], traces: Trace[] }} Curve */

const DRAWN_EVERY_MS = 250;
// In decimal logarithms.
const GAMMA_RANGE = { min: Math.log10(GAMMA_BOUNDS.min), max: Math.log10(GAMMA_BOUNDS.max), step: 0.02, value: 0 };
const GAMMA_TICKS = { tickvals: [0.1, 0.2, 0.5, 1, 2, 5, 10].map(Math.log10), ticktext: ["0.1", "0.2", "0.5", "1", "2", "5", "10"] };
const GAMMA_ENDS = /** @type {Extent} */ ([GAMMA_RANGE.min, GAMMA_RANGE.max]);
const NO_INNER_FOLDS = "Which γ tells held-out rows apart best is not measured yet, “Find the best γ” does";
const CONTOURS_ONLY = "The plane does not depend on γ, only its contours do";
const FINAL_DRAWN_EVERY_MS = 1000; // the curve of a finished run hardly changes

export class History {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {import("./curve.mjs").Events} */
    this.events = { x: [], objective: [], best: [], starts: [], sampled: [], heldOut: [] };
    /** @type {{ name: string | null, points: Map<number, [number, number]> }} */
    this.morphed = { name: null, points: new Map() }; // divergences on the way to another run, by share
    this.drawnAt = performance.now(); // the picture of a first plane does not wait for the curve
    this.chart = new ChartCanvas(panel.part("curve"), () => this.moveCursor());
    this.player = new RunPlayer(panel);
    this.slider = rangeInput("History of the run", { min: 0, max: 0, value: 0, disabled: true });
    this.slider.addEventListener("input", () => panel.scrubTo(Number(this.slider.value)));
    this.gammaSlider = rangeInput("γ of the densities", GAMMA_RANGE);
    this.gammaSlider.addEventListener("input", () => panel.changeGamma(gammaAt(Number(this.gammaSlider.value))));
    this.button = playButton("Play", () => this.player.toggle());
    panel.part("player").replaceChildren(this.button);
    panel.part("scrubber").replaceChildren(this.slider, this.gammaSlider);
    this.field = new PositionField(panel.part("position"), {
      toPlane: (sequence) => {
        this.slider.value = String(sequence);
        panel.scrubTo(sequence);
      },
      toGamma: (gamma) => panel.changeGamma(gamma),
    });
    this.tabs = new Tabs(panel, () => this.draw(true));
    this.advice = new GammaAdvice(panel);
  }

  dispose() {
    clearTimeout(this.timer);
    this.player.pause();
    this.chart.dispose();
  }

  /** @param {News} news */
  extend({ sequences, objective, best, starts, n_sampled: sampled, held_out: heldOut }) {
    this.events.x.push(...sequences);
    this.events.objective.push(...objective);
    this.events.best.push(...best);
    this.events.starts.push(...starts);
    this.events.sampled.push(...sampled);
    this.events.heldOut.push(...heldOut);
    this.showLength();
  }

  showLength() {
    this.slider.max = String(this.panel.sequence);
    this.slider.disabled = this.button.disabled = this.panel.sequence < 1;
    if (this.panel.isLive) this.slider.value = String(this.panel.sequence);
  }

  /** @param {Plane} plane */
  show(plane) {
    this.noteMorph(plane);
    const position = `plane ${plane.sequence + 1} of ${this.panel.sequence + 1}`;
    this.slider.setAttribute("aria-valuetext", position);
  }

  /**
   * Draws the curve along the run; or by the kernel width, if another than the run's is set; or
   * along the way to another run. A growing curve is drawn a few times a second; its cursor moves with
   * every plane. Beside other panels there is a slider in its place.
   */
  async draw(isUrgent = false) {
    const { isDisposed, isFinal } = this.panel;
    clearTimeout(this.timer);
    if (isDisposed) return;
    this.tabs.show();
    const rest = this.drawnAt + (isFinal ? FINAL_DRAWN_EVERY_MS : DRAWN_EVERY_MS) - performance.now();
    if (mode.value !== "compare") {
      if (!isUrgent && rest > 0) this.timer = setTimeout(() => this.draw(true), rest);
      else await this.drawCurve();
    }
    this.moveCursor();
  }

  async drawCurve() {
    const { figure, figureScheme } = this.panel;
    const curve = await this.curve();
    const name = curve && `${curve.name}/${figureScheme}`;
    if (!curve || name === this.drawn) return;
    this.drawn = name;
    this.drawnAt = performance.now();
    const { layout } = figure.curve;
    const caption = curve.caption ?? layout.annotations[0]?.text;
    this.chart.draw({ ...curve, caption, values: curve.values === undefined ? rangeOf(curve.traces) : curve.values }, layout);
  }

  /** @returns {Curve | null | Promise<Curve | null>} */
  curve() {
    return { morph: () => this.morphCurve(), gamma: () => this.gammaCurve(), search: () => this.objectiveCurve() }[this.tabs.name]();
  }

  // To where on the curve the plane on screen is.
  moveCursor() {
    const { gamma, options } = this.panel;
    this.showPosition();
    this.gammaSlider.value = String(Math.log10(options.gamma ?? gamma));
    this.gammaSlider.setAttribute("aria-valuetext", `γ ${options.gamma ?? gamma}`);
    const { axis } = this.chart;
    if (!axis) return;
    const { offset, length } = axis;
    const [low, high] = axis.range;
    const share = Math.min(1, (this.position() - low) / (high - low)); // the curve may lag behind
    this.fitScrubber(`${offset}px`, `${length}px`);
    this.panel.part("cursor").style.transform = `translateX(${(offset + share * length).toFixed(1)}px)`;
  }

  // Only when it changes: what inherits from an element is styled anew.
  fitScrubber(left, length) {
    const { style } = this.panel.part("scrubber");
    if (style.getPropertyValue("--curve-left") !== left) style.setProperty("--curve-left", left);
    if (style.getPropertyValue("--curve-length") !== length) style.setProperty("--curve-length", length);
  }

  showPosition() {
    const { options, plane, sequence, gamma } = this.panel;
    if (this.tabs.name === "search") this.field.showPlane(plane?.sequence ?? sequence, sequence);
    else this.field.showGamma(options.gamma ?? gamma, GAMMA_BOUNDS);
  }

  position() {
    const { options, plane, sequence, gamma } = this.panel;
    if (this.tabs.name === "morph") return options.morph[1];
    return this.tabs.name === "search" ? (plane?.sequence ?? sequence) : Math.log10(options.gamma ?? gamma);
  }

  get styles() {
    return this.panel.figure.curve.data;
  }

  objectiveCurve() {
    const { events, panel } = this;
    if (!events.x.length) return null;
    return {
      name: `curve ${panel.sequence}/${events.heldOut.length}`,
      range: /** @type {Extent} */ ([0, Math.max(1, panel.sequence)]),
      values: valueRange(events),
      traces: objectiveTraces(this.styles, events),
    };
  }

  morphCurve() {
    const { name, points } = this.morphed;
    const passed = [...points].sort(([one], [other]) => one - other);
    const [shares, divergences] = [passed.map(([share]) => share), passed.map(([, values]) => values)];
    return {
      name: `morph ${name}/${passed.length}`,
      caption: "divergence along the way",
      range: /** @type {Extent} */ ([0, 1]),
      traces: divergenceTraces(this.styles, shares, ...columns(divergences)),
    };
  }

  /** Keeps the divergences of a plane on the way to another run. @param {Plane} plane */
  noteMorph({ address, sequence, numbers }) {
    const morph = address && morphIn(address);
    if (!morph) return;
    const name = `${sequence} to ${morph.other}`;
    if (this.morphed.name !== name) this.morphed = { name, points: new Map() };
    this.morphed.points.set(morph.share, [numbers["divergence-training"], numbers["divergence-held-out"]]);
  }

  // Held-out accuracy by the kernel width, which inner folds have measured; nothing where none have. The
  // divergence would say nothing: it falls with every wider kernel.
  async gammaCurve() {
    const answer = await this.gammaAdvice();
    if (!answer || this.tabs.name !== "gamma") return null; // meanwhile another curve
    const { advice, advice_words: words, can_choose: canChoose } = answer;
    this.advice.show(answer);
    this.tabs.explain(advice ? "advice" : "gamma");
    write(this.panel.part("gamma-note"), canChoose ? "" : CONTOURS_ONLY);
    return {
      name: `advice ${this.panel.run}/${words}`,
      caption: advice ? `${words}, ● recommended` : canChoose ? NO_INNER_FOLDS : "",
      range: GAMMA_ENDS,
      values: advice ? undefined : null,
      ticks: GAMMA_TICKS,
      traces: advice ? accuracyTraces(this.styles, advice) : [],
    };
  }

  gammaAdvice() {
    this.measured ??= ask(`runs/${this.panel.run}/gamma-advice`).catch((error) => {
      this.measured = null;
      showNotice(sentenceOf(error), { briefly: true });
      return null;
    });
    return this.measured;
  }
}

/** @param {[number, number][]} pairs @returns {[number[], number[]]} */
const columns = (pairs) => [pairs.map(([first]) => first), pairs.map(([, second]) => second)];

// Plays the planes of a run at the pace of the painting.

// A run is played within about ten seconds, however many planes it has.
const MOST_PLAYED = 150;
const PLAYED_MS = 66;

// With less motion, a run is a few pictures one after the other.
const MOST_STILLS = 8;
const STILL_MS = 1000;

/** How many times as fast as usual planes follow each other. */
export const speed = signal(1);

/** @param {number} times */
export const setSpeed = (times) => speed.set(times);

class RunPlayer extends Player {
  /** @param {Panel} panel */
  constructor(panel) {
    super((isPlaying) => {
      const { node, history: { button } } = panel;
      node.toggleAttribute("data-playing", isPlaying);
      button.classList.toggle("is-playing", isPlaying);
      button.setAttribute("aria-label", isPlaying ? "Pause playing" : "Play");
    });
    this.panel = panel;
  }

  /** From the plane on screen, from the beginning if that is the last. */
  async *planes() {
    const { panel } = this;
    const { slider } = panel.history;
    const last = panel.sequence;
    const [most, every] = lessMotion.matches ? [MOST_STILLS, STILL_MS] : [MOST_PLAYED, PLAYED_MS];
    const pace = speed.value * Math.max(1, last / most); // planes in that time
    const stride = Math.max(1, pace);
    for (let at = panel.plane.sequence >= last ? 0 : panel.plane.sequence; panel.node.isConnected; ) {
      slider.value = String(Math.round(at));
      const shown = panel.scrubTo(Math.round(at));
      const next = Math.min(at + stride, last);
      if (at < last) panel.prefetch(Math.round(next));
      await shown;
      if (at >= last) return;
      at = next;
      yield (every * stride) / pace;
    }
  }

  async toggle(planes = () => this.planes()) {
    return super.toggle(planes);
  }
}

// The curves of a run, one at a time: the objective along its search, or held-out
// accuracy by kernel width.

const PARTS = { search: "along-search", gamma: "by-gamma" };
const LEGENDS = {
  search: { best: "best so far", "held-out": "held out", steps: "each step" },
  gamma: {},
  advice: { "held-out": "held-out accuracy", band: "± 1 standard error" },
  morph: { best: "training", "held-out": "held out" },
};

class Tabs {
  /**
   * @param {Panel} panel
   * @param {() => void} onChoice
   */
  constructor(panel, onChoice) {
    this.panel = panel;
    /** @type {string | null} */
    this.chosen = null;
    for (const [name, part] of Object.entries(PARTS)) {
      panel.part(part).onclick = () => {
        this.chosen = name;
        panel.history.measured = null; // another run may have chosen γ since
        onChoice();
      };
    }
    panel.node.addEventListener("panel:options", () => (this.chosen = null));
  }

  /** The curve that is shown: the chosen one, else that of what is set. */
  get name() {
    const { morph, gamma } = this.panel.options;
    const hasSearch = this.panel.node.dataset.has.includes("search");
    if (isBetweenPlanes(this.panel.options) && hasSearch) return "search"; // which need not be drawn again
    if (morph && !isOfTree(this.panel.options)) return "morph";
    if (this.chosen) return this.chosen;
    if (morph) return "gamma";
    return gamma === null && hasSearch ? "search" : "gamma";
  }

  /** Marks the tab of the curve that is shown, and explains its lines. */
  show() {
    const { name, panel } = this;
    if (this.shown === name) return;
    this.shown = name;
    panel.node.dataset.curveShown = name;
    for (const [tab, part] of Object.entries(PARTS)) panel.part(part).setAttribute("aria-pressed", String(tab === name));
    this.explain(name);
  }

  /** @param {string} lines a key of LEGENDS */
  explain(lines) {
    if (this.explained === lines) return;
    this.explained = lines;
    this.panel.part("curve-legend").replaceChildren(...Object.entries(LEGENDS[lines]).map(legendItem));
  }
}

function legendItem([line, text]) {
  const item = document.createElement("li");
  Object.assign(item, { className: `line-${line}`, textContent: text });
  return item;
}

// A field for the place on the curve: the number of the plane, or the kernel width.

const STEP_GAMMA = 0.1;

export class PositionField {
  /**
   * @param {HTMLElement} slot
   * @param {{ toPlane: (sequence: number) => void, toGamma: (gamma: number) => void }} actions
   */
  constructor(slot, { toPlane, toGamma }) {
    this.field = document.createElement("input");
    this.field.type = "number";
    this.before = document.createElement("span");
    this.after = document.createElement("span");
    const label = document.createElement("label");
    label.append(this.before, this.field);
    slot.replaceChildren(label, this.after);
    this.field.addEventListener("change", () => {
      const { valueAsNumber: value, min, max } = this.field;
      if (Number.isNaN(value)) return;
      const within = Math.min(Math.max(value, Number(min)), Number(max));
      if (this.isGamma) toGamma(within);
      else toPlane(Math.round(within) - 1);
    });
  }

  /** @param {number} sequence @param {number} last */
  showPlane(sequence, last) {
    this.show(false, { min: 1, max: last + 1, step: 1 }, sequence + 1);
    write(this.after, `of ${(last + 1).toLocaleString("en")}`);
  }

  /** @param {number} gamma @param {{ min: number, max: number }} bounds */
  showGamma(gamma, bounds) {
    this.show(true, { ...bounds, step: STEP_GAMMA }, gamma);
    write(this.after, "");
  }

  show(isGamma, bounds, value) {
    if (this.isGamma !== isGamma) {
      this.before.textContent = isGamma ? "γ" : "Plane";
      this.field.title = isGamma ? "γ of the densities" : "";
    }
    this.isGamma = isGamma;
    if (this.field.max !== String(bounds.max)) Object.assign(this.field, bounds);
    if (document.activeElement !== this.field) this.field.value = String(value);
  }
}

// The kernel width that inner folds recommend: one press goes there or, where no run has chosen one
// yet, begins a run that does.

class GammaAdvice {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.button = panel.part("gamma-advice");
    this.button.onclick = () => this.follow();
  }

  /** @param {{ advice: GammaPath | null, can_choose: boolean }} profile */
  show({ advice, can_choose: canChoose }) {
    const { options, searchGamma } = this.panel;
    this.recommended = advice?.chosen ?? null;
    const isThere = this.recommended !== null && (options.gamma ?? searchGamma) === this.recommended;
    hide(this.button, isThere || (!advice && !canChoose));
    write(this.button, advice ? `Go to γ ${this.recommended}` : "Find the best γ");
    this.button.title = advice
      ? "The best held-out accuracy of inner folds; the caption names the widths that are level with it"
      : "Run again, and choose γ by the held-out accuracy of inner folds";
  }

  follow() {
    if (this.recommended === null) return sendCommand(this.panel, "choose-gamma");
    this.button.hidden = true;
    return this.panel.changeGamma(this.recommended);
  }
}
