// The plane of a run as it moves between bootstrap resamples: played in the picture as a loop, and each resample as a
// small picture.
import { ask, remembering } from "../page/answers.mjs";
import { speed } from "../panel/history.mjs";
import { Player } from "../plane/clock.mjs";
import { Analysis as OfRun } from "./analysis.mjs";
import { drawPreview, otherPlane } from "./tree_steps.mjs";

const FRAME_MS = 1000 / 15;
const FRAMES_A_RESAMPLE = 12;
const FRAMES_AHEAD = 3;
const MOST_FRAMES = 1000;
const [WATCH, STOP] = ["Watch it move", "Stop moving"];

export class Analysis extends OfRun {
  /** @param {any} place @param {Panel} panel */
  constructor(place, panel) {
    super(place, panel);
    /** What each small picture shows. @type {WeakMap<Element, string>} */
    this.drawn = new WeakMap();
    this.player = new Player((isPlaying) => {
      const play = this.kept("play");
      if (play) play.textContent = isPlaying ? STOP : WATCH;
    });
  }

  // The motion ends where it began.
  rest() {
    super.rest();
    if (this.player.isPlaying) this.toggle();
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
    this.player.pause();
    this.panel.changeView(this.options(Number(button.dataset.plane)));
  }

  toggle() {
    if (this.player.isPlaying) {
      this.player.pause();
      return this.panel.changeView({ morph: null });
    }
    this.panel.history.player.pause();
    return this.player.play(this.frames()).catch(console.warn);
  }

  // From one resample to the next, and round again. Frames are kept, so that a loop whose planes come
  // slowly plays smoothly from its second round on.
  async *frames() {
    const { panel } = this;
    const frame = remembering(MOST_FRAMES, (address) => ask(panel.requests.url(address)));
    const load = (at) => frame(panel.addressWith(this.optionsOfFrame(at))).catch(() => null);
    for (let at = 0; !panel.isDisposed; at += 1) {
      for (let ahead = 1; ahead <= FRAMES_AHEAD; ahead += 1) load(at + ahead);
      const options = this.optionsOfFrame(at);
      const plane = await load(at);
      if (!plane || !this.player.isPlaying) return;
      await panel.showWith(options, { ...plane, address: panel.addressWith(options) });
      yield FRAME_MS / speed.value;
    }
  }

  optionsOfFrame(at) {
    const { planes } = this.found;
    const from = Math.floor(at / FRAMES_A_RESAMPLE) % planes.length;
    const share = (at % FRAMES_A_RESAMPLE) / FRAMES_A_RESAMPLE;
    return this.options(planes[(from + 1) % planes.length], share, planes[from]);
  }
}
