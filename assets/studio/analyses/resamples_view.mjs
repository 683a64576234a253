// The plane of a run as it moves between bootstrap resamples, beside the picture: played in the picture
// as a loop, and each resample as a small picture.
import { ask, remembering } from "../page/answers.mjs";
import { wait } from "../page/dom.mjs";
import { speed } from "../panel/history.mjs";
import { View as Beside } from "./beside.mjs";
import { drawPreview } from "./preview.mjs";
import { otherPlane } from "./tree_steps.mjs";

const FRAME_MS = 1000 / 15;
const FRAMES_A_RESAMPLE = 12;
const FRAMES_AHEAD = 3;
const MOST_FRAMES = 1000;
const [WATCH, STOP] = ["Watch it move", "Stop moving"];

export class View extends Beside {
  constructor() {
    super("resamples");
    /** What each small picture shows. @type {WeakMap<Element, string>} */
    this.drawn = new WeakMap();
  }

  // Of the run that is open already, the motion ends where it began.
  open(panel) {
    if (this.playing) this.toggle();
    super.open(panel);
  }

  close() {
    const wasPlaying = this.playing > 0;
    super.close();
    this.showPlaying(0);
    if (wasPlaying && !this.panel.isDisposed) this.panel.changeView({ morph: null });
  }

  show() {
    super.show();
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.content.querySelectorAll("[data-plane]"))) {
      const { plane } = button.dataset;
      const canvas = button.querySelector("canvas");
      if (this.drawn.get(canvas) === plane) continue;
      this.drawn.set(canvas, plane);
      const options = { gamma: this.panel.options.gamma, ...this.options(Number(plane)) };
      drawPreview(canvas, this.panel, options, () => this.drawn.get(canvas) === plane).catch(console.warn);
    }
  }

  /** @param {number} plane @param {number} [share] of the way to it @param {number} [origin] where the way begins */
  options(plane, share = 1, origin = undefined) {
    return otherPlane(this.found.run, share, plane, origin);
  }

  /** @param {HTMLButtonElement | null} button */
  press(button) {
    super.press(button);
    if (button === this.kept("play")) this.toggle();
    if (!button?.dataset.plane) return;
    this.showPlaying(0);
    this.panel.changeView(this.options(Number(button.dataset.plane)));
  }

  toggle() {
    if (!this.playing) return this.play().catch(console.warn);
    this.showPlaying(0);
    return this.panel.changeView({ morph: null });
  }

  // From one resample to the next, and round again. Frames are kept, so that a loop whose planes come
  // slowly plays smoothly from its second round on.
  async play() {
    const { panel } = this;
    panel.history.player.pause();
    const number = performance.now();
    this.showPlaying(number);
    const frame = remembering(MOST_FRAMES, (address) => ask(panel.requests.url(address)));
    const load = (at) => frame(panel.addressWith(this.optionsOfFrame(at))).catch(() => null);
    for (let at = 0; this.playing === number && !panel.isDisposed; at += 1) {
      const began = performance.now();
      for (let ahead = 1; ahead <= FRAMES_AHEAD; ahead += 1) load(at + ahead);
      const options = this.optionsOfFrame(at);
      const plane = await load(at);
      if (!plane || this.playing !== number) break;
      await panel.showWith(options, { ...plane, address: panel.addressWith(options) });
      await wait(began + FRAME_MS / speed.value - performance.now());
    }
    if (this.playing === number) this.showPlaying(0);
  }

  optionsOfFrame(at) {
    const { planes } = this.found;
    const from = Math.floor(at / FRAMES_A_RESAMPLE) % planes.length;
    const share = (at % FRAMES_A_RESAMPLE) / FRAMES_A_RESAMPLE;
    return this.options(planes[(from + 1) % planes.length], share, planes[from]);
  }

  showPlaying(number) {
    this.playing = number;
    const play = this.kept("play");
    if (play) play.textContent = number ? STOP : WATCH;
  }
}
