// A replay: the planes of a run in a file that opens without the studio and without a network. Its HTML is
// that of melm_studio/publication/replay.py.
import { colorScheme, fontReady, lessMotion, onColorScheme } from "../../page/dom.mjs";
import { ChartCanvas, objectiveTraces, valueRange } from "../../panel/curve.mjs";
import { numbers } from "../../plane/arrays.mjs";
import { Player } from "../../plane/clock.mjs";
import { EveryRow, rowsOf } from "../../plane/every_row.mjs";
import { Picture } from "../picture.mjs";
import { dataIn, decodedOnce, openSections } from "./sections.mjs";

// A replay takes this long, but no frame is shown for less or more than these times.
const [LENGTH_MS, SHORTEST_MS, LONGEST_MS] = [6000, 110, 300];
// A cross-fade from frame to frame, for readers who want less motion, goes through so many.
const [FADE_MS, MOST_FADES] = [600, 12];

/** @param {string} name @returns {any} */
const byPart = (name) => document.querySelector(`[data-part="${name}"]`);

export async function openReplay() {
  const [data] = await Promise.all([dataIn(byPart("replay")), fontReady()]);
  new Replay(data);
  await openSections(data.scene);
  byPart("scheme").onclick = () => {
    document.documentElement.dataset.scheme = colorScheme() === "dark" ? "light" : "dark";
  };
}

class Replay {
  constructor({ scene, frames, axes, curve, rows }) {
    this.scene = scene;
    this.frames = frames;
    this.axes = axes;
    this.curve = curve;
    this.planeAt = decodedOnce(frames);
    this.at = frames.length - 1;
    this.player = new Player((isPlaying) => (byPart("play").textContent = isPlaying ? "Pause" : "Play"));
    this.picture = new Picture(byPart("picture"), scene, byPart("classes"));
    this.everyRow = rows && everyRow(this.picture.plot, rows);
    this.slider = byPart("at");
    if (frames.length > 1) this.connectPlayer();
    onColorScheme(() => this.drawAround());
    this.drawAround();
    this.show(this.at);
  }

  connectPlayer() {
    const { slider } = this;
    this.chart = new ChartCanvas(byPart("chart"), () => this.moveCursor());
    byPart("player").hidden = byPart("curve").hidden = false;
    Object.assign(slider, { min: 0, max: this.at, step: 1, value: this.at });
    slider.oninput = () => this.stopAt(Number(slider.value));
    byPart("play").onclick = () => this.toggle();
    byPart("curve").onpointerdown = (event) => this.followOnCurve(event);
    byPart("curve").onpointermove = (event) => event.buttons && this.followOnCurve(event);
    document.addEventListener("keydown", (event) => this.press(event), true);
  }

  // Before the picture pans by the arrow keys. Fields and buttons have keys of their own.
  press(event) {
    if (event.target.closest?.("input, button, summary, a") || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.frames.length - 1;
    const step = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
    if (event.key === " ") this.toggle();
    else if (step !== undefined) this.stopAt(Math.min(last, Math.max(0, step)));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  toggle() {
    this.player.toggle(() => this.planes());
  }

  *planes() {
    const last = this.frames.length - 1;
    const [stride, milliseconds] = lessMotion.matches
      ? [Math.ceil(last / MOST_FADES), FADE_MS]
      : [1, Math.min(LONGEST_MS, Math.max(SHORTEST_MS, LENGTH_MS / last))];
    if (this.at === last) this.show(0);
    while (this.at < last) {
      yield milliseconds;
      this.show(Math.min(last, this.at + stride));
    }
  }

  stopAt(at) {
    this.player.pause();
    this.show(at);
  }

  show(at) {
    this.at = at;
    const { words } = this.frames[at];
    this.picture.view.every = at === this.frames.length - 1 ? this.everyRow : null; // the others show a sample
    this.picture.showPlane(this.planeAt(at), this.axes);
    this.picture.plot.setAttribute("aria-label", `${this.scene.names.join(", ")}: ${words}`);
    this.picture.plot.dataset.frame = at;
    byPart("words").textContent = words;
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", words);
    this.moveCursor();
  }

  // What is around the picture, in the colors of the page.
  drawAround() {
    if (!this.chart) return;
    const { data, layout } = this.curve.figures[colorScheme()];
    const { events } = this.curve;
    const range = /** @type {[number, number]} */ ([events.x[0], events.x.at(-1)]);
    const caption = layout.annotations[0]?.text;
    this.chart.draw({ traces: objectiveTraces(data, events), range, values: valueRange(events), caption }, layout);
    this.moveCursor();
  }

  moveCursor() {
    const axis = this.chart?.axis;
    if (!axis) return;
    const { offset, length, range } = axis;
    const share = (this.frames[this.at].sequence - range[0]) / (range[1] - range[0] || 1);
    byPart("cursor").style.translate = `${offset + share * length}px 0`;
  }

  followOnCurve({ clientX }) {
    const { offset, length, range } = this.chart.axis;
    const share = (clientX - byPart("curve").getBoundingClientRect().left - offset) / length;
    const sequence = range[0] + share * (range[1] - range[0]);
    const distances = this.frames.map((frame) => Math.abs(frame.sequence - sequence));
    this.stopAt(distances.indexOf(Math.min(...distances)));
  }
}

function everyRow(plot, { points, stretches, limits }) {
  const places = /** @type {import("../../plane/every_row.mjs").Points} */ ({ x: numbers(points.x), y: numbers(points.y) });
  return new EveryRow(plot, rowsOf(stretches), places, limits);
}
