// The history of a run: its curve, the slider through its planes, and the player.
import { GAMMA_BOUNDS } from "../constants.mjs";
import { refusalOf } from "../page/answers.mjs";
import { playButton, rangeInput } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { isAsFound, morphIn } from "../panel/view_options.mjs";
import { gammaAt } from "../views/gamma.mjs";
import { ChartCanvas } from "./chart.mjs";
import { accuracyTraces, divergenceTraces, objectiveTraces, rangeOf, valueRange } from "./curve.mjs";
import { GammaAdvice } from "./gamma_advice.mjs";
import { Player } from "./player.mjs";
import { PositionField } from "./position_field.mjs";
import { Tabs } from "./tabs.mjs";

/** @typedef {import("../types").Plane} Plane */
/** @typedef {import("../types").Range} Range */
/** @typedef {{ name: string, caption?: string, range: Range, values?: Range, ticks?: import("./chart.mjs").Chart["ticks"], traces: import("../types").Trace[] }} Curve */

const DRAWN_EVERY_MS = 250;
// In decimal logarithms.
const GAMMA_RANGE = { min: Math.log10(GAMMA_BOUNDS.min), max: Math.log10(GAMMA_BOUNDS.max), step: 0.02, value: 0 };
const GAMMA_TICKS = { tickvals: [0.1, 0.2, 0.5, 1, 2, 5, 10].map(Math.log10), ticktext: ["0.1", "0.2", "0.5", "1", "2", "5", "10"] };
const FINAL_DRAWN_EVERY_MS = 1000; // the curve of a finished run hardly changes

export class History {
  /** @param {import("../panel/panel.mjs").Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {import("./curve.mjs").Events} */
    this.events = { x: [], objective: [], best: [], starts: [], heldOut: new Map() };
    /** @type {{ name: string | null, points: Map<number, [number, number]> }} */
    this.morphed = { name: null, points: new Map() }; // divergences on the way to another run, by share
    this.drawnAt = performance.now(); // the picture of a first plane does not wait for the curve
    this.chart = new ChartCanvas(panel.part("curve"), () => this.moveCursor());
    this.player = new Player(panel);
    this.slider = rangeInput("History of the run", { min: 0, max: 0, value: 0, disabled: true });
    this.slider.addEventListener("input", () => panel.scrubTo(Number(this.slider.value)));
    this.gammaSlider = rangeInput("Kernel width of the view", GAMMA_RANGE);
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

  /** @param {import("../types").News} news */
  extend({ sequences, objective, best, starts }) {
    this.events.x.push(...sequences);
    this.events.objective.push(...objective);
    this.events.best.push(...best);
    this.events.starts.push(...starts);
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
    if (plane.twin !== null && isAsFound(this.panel.options)) this.events.heldOut.set(plane.sequence, plane.twin);
    const position = `plane ${plane.sequence + 1} of ${this.panel.sequence + 1}`;
    this.slider.setAttribute("aria-valuetext", position);
  }

  /**
   * Draws the curve along the run; or by the kernel width, if another than the run's is set; or
   * along the way to another run. A growing curve is drawn a few times a second, less often among
   * others; its cursor moves with every plane.
   */
  async draw(isUrgent = false) {
    const { isDisposed, isFinal, peers } = this.panel;
    clearTimeout(this.timer);
    if (isDisposed) return;
    const every = isFinal ? FINAL_DRAWN_EVERY_MS : DRAWN_EVERY_MS * peers.shown().length;
    const wait = this.drawnAt + every - performance.now();
    if (!isUrgent && wait > 0) this.timer = setTimeout(() => this.draw(true), wait);
    else await this.drawCurve();
    this.moveCursor();
  }

  async drawCurve() {
    this.tabs.show();
    const { figure, figureScheme } = this.panel;
    const curve = await this.curve();
    const name = curve && `${curve.name}/${figureScheme}`;
    if (!curve || name === this.drawn) return;
    this.drawn = name;
    this.drawnAt = performance.now();
    const { layout } = figure.curve;
    const caption = curve.caption ?? layout.annotations[0]?.text;
    this.chart.draw({ ...curve, caption, values: curve.values ?? rangeOf(curve.traces) }, layout);
  }

  /** @returns {Curve | null | Promise<Curve | null>} */
  curve() {
    return { morph: () => this.morphCurve(), gamma: () => this.gammaCurve(), search: () => this.objectiveCurve() }[this.tabs.name]();
  }

  // To where on the curve the plane on screen is.
  moveCursor() {
    const { axis } = this.chart;
    if (!axis) return;
    const { offset, length } = axis;
    const [low, high] = axis.range;
    const share = Math.min(1, (this.position() - low) / (high - low)); // the curve may lag behind
    const { gamma, options } = this.panel;
    this.showPosition();
    this.gammaSlider.value = String(Math.log10(options.gamma ?? gamma));
    this.gammaSlider.setAttribute("aria-valuetext", `γ ${options.gamma ?? gamma}`);
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
      name: `curve ${panel.sequence}/${events.heldOut.size}`,
      range: /** @type {Range} */ ([0, Math.max(1, panel.sequence)]),
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
      range: /** @type {Range} */ ([0, 1]),
      traces: divergenceTraces(this.styles, shares, ...columns(divergences)),
    };
  }

  /** Keeps the divergences of a plane on the way to another run. @param {Plane} plane */
  noteMorph({ address, sequence, numbers }) {
    const morph = address && morphIn(address);
    if (!morph) return;
    const name = `${sequence} to ${morph.other}`;
    if (this.morphed.name !== name) this.morphed = { name, points: new Map() };
    this.morphed.points.set(morph.share, [numbers["divergence-seen"], numbers["divergence-unseen"]]);
  }

  async gammaCurve() {
    const profile = await this.profile();
    if (!profile || this.tabs.name !== "gamma") return null; // meanwhile another curve
    this.advice.show(profile);
    const x = profile.gammas.map(Math.log10);
    this.tabs.explain(profile.advice ? "advice" : "gamma");
    if (profile.advice) {
      return {
        name: `advice ${this.panel.run}/${profile.address}`,
        caption: "held-out accuracy in inner folds; ● recommended",
        range: /** @type {Range} */ ([x[0], x.at(-1)]),
        ticks: GAMMA_TICKS,
        traces: accuracyTraces(this.styles, profile.advice),
      };
    }
    return {
      name: `profile ${profile.address}`,
      caption: "divergence by γ, training and held-out rows",
      range: /** @type {Range} */ ([x[0], x.at(-1)]),
      ticks: GAMMA_TICKS,
      traces: divergenceTraces(this.styles, x, profile.seen, profile.unseen),
    };
  }

  // The divergence of the plane on screen by the kernel width.
  async profile() {
    const { panel } = this;
    if (!panel.plane) return null;
    const { sequence } = panel.plane;
    const query = panel.query({ gamma: null, toward: null });
    const address = `${sequence}?${query}`;
    if (this.measured?.address !== address) {
      const answer = await fetch(`runs/${panel.run}/planes/${sequence}/profile?${query}`);
      if (!answer.ok) {
        showNotice(await refusalOf(answer), { briefly: true });
        return null;
      }
      this.measured = { address, ...(await answer.json()) };
    }
    return this.measured;
  }
}

/** @param {[number, number][]} pairs @returns {[number[], number[]]} */
const columns = (pairs) => [pairs.map(([first]) => first), pairs.map(([, second]) => second)];
