// The history of a run: its curve, and what leads along it: sliders, fields and the player.
import { ask, sentenceOf } from "../page/answers.mjs";
import { connectNumber, hide, lessMotion, setSlider, write } from "../page/dom.mjs";
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
const FINAL_DRAWN_EVERY_MS = 1000; // the curve of a finished run hardly changes
// In decimal logarithms.
const GAMMA_TICKS = { tickvals: [0.1, 0.2, 0.5, 1, 2, 5, 10].map(Math.log10), ticktext: ["0.1", "0.2", "0.5", "1", "2", "5", "10"] };
const NO_INNER_FOLDS = "Which γ tells held-out rows apart best is not measured yet, “Find the best γ” does";
const CONTOURS_ONLY = "The plane does not depend on γ, only its contours do";
const BEST_GAMMA = "The best held-out accuracy of inner folds; the caption names the widths that are level with it";
const FIND_GAMMA = "Run again, and choose γ by the held-out accuracy of inner folds";

/** How many times as fast as usual planes follow each other. */
export const speed = signal(1);

/** @param {number} times */
export const setSpeed = (times) => speed.set(times);

// A run is played within about ten seconds, however many planes it has.
const MOST_PLAYED = 150;
const PLAYED_MS = 66;
// With less motion, a run is a few pictures one after the other.
const MOST_STILLS = 8;
const STILL_MS = 1000;

export class History {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {import("./curve.mjs").Events} */
    this.events = { sequences: [], objective: [], best: [], starts: [], n_sampled: [], held_out: [] };
    /** @type {FoldsCurve | null} */
    this.folds = null; // held-out divergence, once the refits of the run are done
    /** @type {{ name: string | null, points: Map<number, [number, number]> }} */
    this.morphed = { name: null, points: new Map() }; // divergences on the way to another run, by share
    this.drawnAt = performance.now(); // the picture of a first plane does not wait for the curve
    this.chart = new ChartCanvas(panel.part("curve"), () => this.moveCursor());
    this.button = panel.part("play");
    this.button.onclick = () => this.play().catch(console.warn);
    this.player = new Player((isPlaying) => {
      panel.node.toggleAttribute("data-playing", isPlaying);
      this.button.classList.toggle("is-playing", isPlaying);
      this.button.setAttribute("aria-label", isPlaying ? "Pause playing" : "Play");
    });
    this.slider = panel.part("plane-slider"); // planes are counted from 1 on
    connectNumber([this.slider, panel.part("plane-number")]);
    this.slider.oninput = () => panel.scrubTo(this.slider.valueAsNumber - 1);
    this.widths = panel.part("gamma-slider"); // by their logarithms
    this.widths.oninput = () => panel.changeGamma(gammaAt(this.widths.valueAsNumber));
    this.width = panel.part("gamma-number");
    this.width.onchange = () => this.takeWidth();
    /** @type {string | null} */
    this.chosen = null; // the curve
    this.tabs = /** @type {NodeListOf<HTMLElement>} */ (panel.node.querySelectorAll("[data-curve]"));
    for (const tab of this.tabs) tab.onclick = () => this.choose(tab.dataset.curve);
    panel.node.addEventListener("panel:options", () => (this.chosen = null));
    panel.part("gamma-advice").onclick = () => this.followAdvice();
  }

  dispose() {
    clearTimeout(this.timer);
    this.player.pause();
    this.chart.dispose();
  }

  /** @param {News} news */
  extend(news) {
    for (const [name, values] of Object.entries(this.events)) values.push(...news[name]);
    const { sequence } = this.panel;
    this.slider.max = String(sequence + 1);
    write(this.panel.part("plane-count"), `of ${(sequence + 1).toLocaleString("en")}`);
    this.slider.disabled = this.button.disabled = sequence < 1;
  }

  /**
   * Draws the curve along the run; or by the kernel width, if another than the run's is set; or
   * along the way to another run. A growing curve is drawn a few times a second; its cursor moves with
   * every plane. Beside other panels there is a slider in its place.
   */
  async draw(isUrgent = false) {
    const { isDisposed, isFinal, plane } = this.panel;
    clearTimeout(this.timer);
    if (isDisposed) return;
    if (plane) this.noteMorph(plane);
    this.showTab();
    this.showPlace();
    const rest = this.drawnAt + (isFinal ? FINAL_DRAWN_EVERY_MS : DRAWN_EVERY_MS) - performance.now();
    if (mode.value !== "compare") {
      if (!isUrgent && rest > 0) this.timer = setTimeout(() => this.draw(true), rest);
      else await this.drawCurve();
    }
    this.moveCursor();
  }

  showPlace() {
    const { sequence } = this.panel;
    const shown = this.panel.wantedSequence() + 1;
    setSlider(this.slider, shown, `plane ${shown} of ${sequence + 1}`);
    setSlider(this.widths, Math.log10(this.shownGamma), `γ ${this.shownGamma}`);
    if (document.activeElement !== this.width) this.width.value = String(this.shownGamma);
  }

  /** Shows a kernel width as it was typed, within its bounds. */
  takeWidth() {
    const { valueAsNumber: gamma, min, max } = this.width;
    if (!Number.isNaN(gamma)) this.panel.changeGamma(Math.min(Math.max(gamma, Number(min)), Number(max)));
  }

  get shownGamma() {
    return this.panel.options.gamma ?? this.panel.gamma;
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
    return { morph: () => this.morphCurve(), gamma: () => this.gammaCurve(), search: () => this.objectiveCurve() }[this.name]();
  }

  // To where on the curve the plane on screen is.
  moveCursor() {
    const { box, chart, toPixels } = this.chart;
    if (!chart) return;
    const across = toPixels[0](Math.min(this.position(), chart.range[1])); // the curve may lag behind
    this.fitSliders(`${box.left}px`, `${box.width}px`);
    this.panel.part("cursor").style.transform = `translateX(${across.toFixed(1)}px)`;
  }

  // Only when it changes: what inherits from an element is styled anew.
  fitSliders(left, length) {
    const { style } = this.slider.parentElement;
    if (style.getPropertyValue("--curve-left") !== left) style.setProperty("--curve-left", left);
    if (style.getPropertyValue("--curve-length") !== length) style.setProperty("--curve-length", length);
  }

  position() {
    const { options, plane, sequence } = this.panel;
    if (this.name === "morph") return options.morph[1];
    return this.name === "search" ? (plane?.sequence ?? sequence) : Math.log10(this.shownGamma);
  }

  get styles() {
    return this.panel.figure.curve.data;
  }

  objectiveCurve() {
    const { events, folds, panel } = this;
    if (!events.sequences.length) return null;
    return {
      name: `curve ${panel.sequence}/${events.held_out.length}/${folds !== null}`,
      range: /** @type {Extent} */ ([0, Math.max(1, panel.sequence)]),
      values: valueRange(events, folds),
      traces: objectiveTraces(this.styles, events, folds),
    };
  }

  morphCurve() {
    const { name, points } = this.morphed;
    const passed = [...points].sort(([one], [other]) => one - other);
    const [shares, training, heldOut] = [0, 1, 2].map((at) => passed.map((point) => point.flat()[at]));
    return {
      name: `morph ${name}/${passed.length}`,
      caption: "divergence along the way",
      range: /** @type {Extent} */ ([0, 1]),
      traces: divergenceTraces(this.styles, shares, training, heldOut),
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
    const { panel } = this;
    this.measured ??= ask(`runs/${panel.run}/gamma-advice`).catch((error) => {
      this.measured = null;
      showNotice(sentenceOf(error), { briefly: true });
    });
    const answer = await this.measured;
    if (!answer || this.name !== "gamma") return null; // meanwhile another curve
    const { advice, advice_words: words, can_choose: canChoose } = answer;
    this.showAdvice(answer);
    this.explain(advice ? "advice" : "gamma");
    write(panel.part("gamma-note"), canChoose ? "" : CONTOURS_ONLY);
    return {
      name: `advice ${panel.run}/${words}`,
      caption: advice ? `${words}, ● recommended` : canChoose ? NO_INNER_FOLDS : "",
      range: [Number(this.widths.min), Number(this.widths.max)],
      values: advice ? undefined : null,
      ticks: GAMMA_TICKS,
      traces: advice ? accuracyTraces(this.styles, advice) : [],
    };
  }

  // The kernel width that inner folds recommend: one press goes there or, where no run has chosen one yet, begins a
  // run that does.
  /** @param {{ advice: GammaPath | null, can_choose: boolean }} answer */
  showAdvice({ advice, can_choose: canChoose }) {
    const { options, searchGamma } = this.panel;
    const button = this.panel.part("gamma-advice");
    this.recommended = advice?.chosen ?? null;
    const isThere = this.recommended !== null && (options.gamma ?? searchGamma) === this.recommended;
    hide(button, isThere || (!advice && !canChoose));
    write(button, advice ? `Go to γ ${this.recommended}` : "Find the best γ");
    button.title = advice ? BEST_GAMMA : FIND_GAMMA;
  }

  followAdvice() {
    const { panel } = this;
    if (this.recommended === null) return sendCommand(panel, "choose-gamma");
    panel.part("gamma-advice").hidden = true;
    return panel.changeGamma(this.recommended);
  }

  /** The curve that is shown: the chosen one, else that of what is set. */
  get name() {
    const { node, options } = this.panel;
    const { morph, gamma } = options;
    const hasSearch = node.dataset.has.includes("search");
    if (isBetweenPlanes(options) && hasSearch) return "search"; // which need not be drawn again
    if (morph && !isOfTree(options)) return "morph";
    if (this.chosen) return this.chosen;
    if (morph) return "gamma";
    return gamma === null && hasSearch ? "search" : "gamma";
  }

  choose(curve) {
    this.chosen = curve;
    this.measured = null; // another run may have chosen γ since
    this.draw(true);
  }

  // Marks the tab of the curve that is shown, and explains its lines.
  showTab() {
    const { name, panel } = this;
    if (panel.node.dataset.curveShown === name) return;
    panel.node.dataset.curveShown = name;
    for (const tab of this.tabs) tab.setAttribute("aria-pressed", String(tab.dataset.curve === name));
    this.explain(name);
  }

  /** @param {string} curve whose lines the legend is to explain */
  explain(curve) {
    for (const line of this.panel.part("curve-legend").children) hide(line, line.dataset.of !== curve);
  }

  /** Plays the run, or pauses. */
  async play() {
    return this.player.toggle(() => this.planes());
  }

  // From the plane on screen, from the beginning if that is the last.
  async *planes() {
    const { panel } = this;
    const last = panel.sequence;
    const [most, every] = lessMotion.matches ? [MOST_STILLS, STILL_MS] : [MOST_PLAYED, PLAYED_MS];
    const pace = speed.value * Math.max(1, last / most); // planes in that time
    const stride = Math.max(1, pace);
    for (let at = panel.plane.sequence >= last ? 0 : panel.plane.sequence; ; at = Math.min(at + stride, last)) {
      const shown = panel.scrubTo(Math.round(at));
      if (at < last) panel.prefetch(Math.round(Math.min(at + stride, last)));
      await shown;
      if (at >= last) return;
      yield (every * stride) / pace;
    }
  }
}
