// A replay: the planes of a run in a file that opens without the studio and without a network, and below them its tree
// of planes and its resampled plane. The HTML is that of melm_studio/publication/replay.py and replay_sections.py.
import { colorScheme, element, fontReady, hide, lessMotion, onColorScheme, setSlider } from "../../page/dom.mjs";
import { unbroken } from "../../page/number_text.mjs";
import { ChartCanvas, objectiveTraces, valueRange } from "../../panel/curve.mjs";
import { decodedPlane, fromBase64, numbers, unpacked } from "../../plane/arrays.mjs";
import { drawSmallPlane } from "../../plane/canvas.mjs";
import { Player } from "../../plane/clock.mjs";
import { EveryRow } from "../../plane/every_row.mjs";
import { Picture } from "../picture.mjs";

export async function openReplay() {
  const nodes = [...document.querySelectorAll("[data-section]")];
  const reading = nodes.map((node) => unpacked(fromBase64(node.querySelector("script").textContent)));
  const [run, ...others] = await Promise.all(reading);
  await fontReady();
  new Run(nodes[0], run, run.scene);
  for (const [i, data] of others.entries()) new (data.branches ? Tree : Resamples)(nodes[i + 1], data, run.scene);
}

/** Where a plane is on the slider and on the chart, on one of which only its place across matters. @typedef {{ step: number, x: number, y?: number, words: string }} Mark */

/** Planes, of which a picture shows one: chosen on a slider or a chart, or played. */
class Section {
  /** @param {Element} node @param {any} data @param {Scene} scene */
  constructor(node, data, scene) {
    const part = (this.part = (name) => /** @type {any} */ (node.querySelector(`[data-part="${name}"]`)));
    this.data = data;
    this.scene = scene;
    /** @type {Mark[]} */
    this.marks = data.marks ?? [];
    this.decoded = data.planes.map(() => null); // each when it is first asked for
    this.at = 0;
    this.picture = new Picture(part("picture"), scene, part("classes"));
    this.player = new Player((isPlaying) => this.sayPlaying(isPlaying));
    if (this.marks.length > 1 || data.branches) this.connectChart(part("chart"), part("slider"), data.branches ?? []);
    onColorScheme(() => this.drawAround());
  }

  connectChart(chart, slider, branches) {
    this.chart = new ChartCanvas(chart, () => this.moveCursor());
    Object.assign(slider, { min: 0, max: Math.max(...this.marks.map(({ step }) => step)), step: 1 });
    slider.oninput = () => this.stopAt(planeOf(this.marks, branches, this.at, Number(slider.value)));
    chart.onpointerdown = (event) => this.stopAt(this.nearest(event));
    chart.onpointermove = (event) => event.buttons && this.stopAt(this.nearest(event));
  }

  planeAt(at) {
    return (this.decoded[at] ??= decodedPlane(this.data.planes[at]));
  }

  axesAt(at) {
    return this.data.axes[at] ?? this.data.axes[0];
  }

  show(at) {
    this.at = at;
    const { step, words } = this.marks[at] ?? {};
    this.picture.showPlane(this.planeAt(at), this.axesAt(at));
    this.picture.plot.setAttribute("aria-label", [this.scene.names.join(", "), words].filter(Boolean).join(": "));
    if (!words) return;
    this.part("words").textContent = unbroken(words);
    setSlider(this.part("slider"), step, words);
  }

  stopAt(at) {
    this.player.pause();
    this.show(at);
  }

  /** The plane whose mark is nearest to a place on the chart. @param {PointerEvent} event */
  nearest({ clientX, clientY }) {
    const { left, top } = this.chart.place.getBoundingClientRect();
    const [across, up] = this.chart.toPixels;
    const distances = this.marks.map(({ x, y }) => Math.hypot(left + across(x) - clientX, y === undefined ? 0 : top + up(y) - clientY));
    return distances.indexOf(Math.min(...distances));
  }

  /** Draws what is around the picture, in the colors of the page. */
  drawAround() {}

  moveCursor() {}

  sayPlaying(isPlaying) {
    this.part("play").textContent = isPlaying ? "Pause" : "Play";
  }
}

// A run takes this long, but no plane is shown for less or more than these times.
const [LENGTH_MS, SHORTEST_MS, LONGEST_MS] = [6000, 110, 300];
// A cross-fade from plane to plane, for readers who want less motion, goes through so many.
const [FADE_MS, MOST_FADES] = [600, 12];

class Run extends Section {
  constructor(node, data, scene) {
    super(node, { ...data, planes: data.frames, marks: data.frames.map(({ sequence: x, words }, step) => ({ step, x, words })) }, scene);
    const { part } = this;
    this.last = data.frames.length - 1;
    this.everyRow = data.rows && everyRow(this.picture.plot, data.rows);
    part("scheme").onclick = () => (document.documentElement.dataset.scheme = colorScheme() === "dark" ? "light" : "dark");
    part("play").onclick = () => this.player.toggle(() => this.planes());
    part("player").hidden = part("curve").hidden = !this.chart;
    if (this.chart) document.addEventListener("keydown", (event) => this.press(event), true);
    this.drawAround();
    this.show(this.last);
  }

  // Before the picture pans by the arrow keys. Fields and buttons have keys of their own.
  press(event) {
    if (event.target.closest?.("input, button, summary, a") || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.last }[event.key];
    if (event.key === " ") this.player.toggle(() => this.planes());
    else if (step !== undefined) this.stopAt(Math.min(this.last, Math.max(0, step)));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  *planes() {
    const { last } = this;
    const [stride, milliseconds] = lessMotion.matches
      ? [Math.ceil(last / MOST_FADES), FADE_MS]
      : [1, Math.min(LONGEST_MS, Math.max(SHORTEST_MS, LENGTH_MS / last))];
    if (this.at === last) this.show(0);
    while (this.at < last) {
      yield milliseconds;
      this.show(Math.min(last, this.at + stride));
    }
  }

  show(at) {
    this.picture.view.every = at === this.last ? this.everyRow : null; // the others show a sample
    this.picture.plot.dataset.frame = at;
    super.show(at);
    this.moveCursor();
  }

  drawAround() {
    if (!this.chart) return;
    const { events, figures } = this.data.curve;
    const { data, layout } = figures[colorScheme()];
    const range = /** @type {Extent} */ ([events.sequences[0], events.sequences.at(-1)]);
    const caption = layout.annotations[0]?.text;
    this.chart.draw({ traces: objectiveTraces(data, events), range, values: valueRange(events), caption }, layout);
    this.moveCursor();
  }

  moveCursor() {
    if (!this.chart) return;
    this.part("cursor").style.translate = `${this.chart.toPixels[0](this.marks[this.at].x)}px 0`;
  }
}

function everyRow(plot, { x, y, classes, held_out: heldOut, limits }) {
  const points = /** @type {Points} */ ({ x: numbers(x), y: numbers(y) });
  const codes = /** @type {Numbers} */ (numbers(classes));
  const rows = { numbers: new Int32Array(codes.length), classes: codes, heldOut: /** @type {any} */ (numbers(heldOut)) };
  return new EveryRow(plot, rows, points, limits);
}

class Resamples extends Section {
  constructor(node, data, scene) {
    super(node, data, scene);
    const { part } = this;
    part("play").onclick = () => this.player.toggle(() => this.rounds());
    part("stills").ontoggle = () => this.drawAround();
    /** @type {any} */ (lessMotion).addEventListener("change", () => this.followMotion());
    this.followMotion();
    this.show(data.stills.length ? data.stills[0][0] : 0);
  }

  followMotion() {
    hide(this.part("play"), lessMotion.matches || this.data.loop < 2);
    if (!lessMotion.matches) return;
    this.player.pause();
    this.part("stills").open = true;
  }

  // Round and round by the clock, so that a slow machine shows fewer planes and not a slower motion.
  *rounds() {
    const { loop, ms } = this.data;
    const began = performance.now();
    for (;;) {
      const step = Math.floor((performance.now() - began) / ms);
      this.show(step % loop);
      yield began + (step + 1) * ms - performance.now();
    }
  }

  // The resamples side by side.
  drawAround() {
    if (!this.part("stills").open) return;
    const figures = this.data.stills.map(([, words]) => element("figure", "", element("canvas", ""), element("figcaption", "", words)));
    this.part("multiples").replaceChildren(...figures);
    for (const [i, [at]] of this.data.stills.entries()) {
      const { traces } = this.planeAt(at);
      drawSmallPlane(figures[i].querySelector("canvas"), this.scene.figures[colorScheme()].data, { traces, limits: this.axesAt(at) });
    }
  }

  sayPlaying(isPlaying) {
    this.part("play").textContent = isPlaying ? "Stop moving" : "Watch it move";
  }
}

const RING_PX = 20;

// The tree of planes beside the one that is chosen in it. The kernel width is dragged: the plane is that of the
// same branch at the width, or else the best there.
class Tree extends Section {
  constructor(node, data, scene) {
    super(node, data, scene);
    this.walked = null; // the button of the branch
    for (const button of node.querySelectorAll("[data-branch]")) button.onclick = () => this.walk(button);
    this.show(data.branches[0]?.[0] ?? 0);
  }

  show(at) {
    super.show(at);
    this.drawAround();
  }

  walk(button) {
    const isOther = button !== this.walked || !this.player.isPlaying;
    this.player.pause();
    this.walked = button;
    if (isOther) this.player.play(this.planes(this.data.branches[button.dataset.branch]));
  }

  *planes(branch) {
    for (const at of branch) {
      this.show(at);
      yield this.data.ms;
    }
  }

  sayPlaying(isPlaying) {
    this.walked.setAttribute("aria-pressed", String(isPlaying));
  }

  drawAround() {
    const { layout, ...chart } = this.data.charts[colorScheme()];
    const { x, y } = this.marks[this.at];
    const marker = { symbol: "circle-open", size: RING_PX, line: { width: 3 }, color: layout.font.color };
    const ring = { meta: { kind: "ring" }, mode: "markers", x: [x], y: [y], marker };
    this.chart.draw({ ...chart, traces: [...chart.traces, ring] }, layout);
  }
}

/**
 * The plane at a step: of a branch that the chosen one is of, or else the highest.
 * @param {{ step: number, y?: number }[]} marks
 * @param {number[][]} branches
 * @param {number} chosen
 * @param {number} step
 */
export function planeOf(marks, branches, chosen, step) {
  const there = [...marks.keys()].filter((at) => marks[at].step === step);
  const own = branches.filter((branch) => branch.includes(chosen)).flat();
  const highest = (places) => places.toSorted((one, other) => marks[other].y - marks[one].y)[0];
  return highest(there.filter((at) => own.includes(at))) ?? highest(there);
}
