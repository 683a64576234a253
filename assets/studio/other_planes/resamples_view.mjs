// The plane of a run as it moves between bootstrap resamples, beside the picture: played in the picture
// as a loop, and each resample as a small picture.
import { ID } from "../constants.mjs";
import { byId, element, lessMotion, span, wait } from "../page/dom.mjs";
import { state } from "../state.mjs";
import { Beside } from "./beside.mjs";
import { drawPreview } from "./preview.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

const FRAME_MS = 1000 / 15;
const RESAMPLE_MS = 800; // from one resample to the next
const MOST_MULTIPLES = 12;

/** @type {ResamplesView | null} */
let view = null;

/** Opens the resamples of a run; begins them if it has none. @param {Panel} panel */
export function showResamples(panel) {
  view ??= new ResamplesView();
  view.open(panel);
}

class ResamplesView extends Beside {
  constructor() {
    super(byId(ID.resamples), "resamples");
    this.part("play").onclick = () => this.toggle();
  }

  forget() {
    super.forget();
    this.part("multiples").replaceChildren();
    this.part("features").replaceChildren();
  }

  close() {
    const wasPlaying = this.playing > 0;
    super.close();
    if (wasPlaying) this.panel.changeView({ morph: null });
  }

  show() {
    const { planes, mean, angles, note, features } = this.found;
    this.part("note").textContent = note;
    this.part("play").hidden = lessMotion.matches;
    this.part("play").disabled = planes.length < 2;
    if (mean !== null) this.addMultiple(mean, "Plane that they agree on");
    planes.slice(0, MOST_MULTIPLES).forEach((plane, i) => this.addMultiple(plane, `Resample ${i + 1}, ${Math.round(angles[i])}°`));
    const list = this.part("features");
    if (features.length && !list.children.length) list.append(...features.map(featureItem));
  }

  /** A small picture that shows its plane in the large one when it is pressed. @param {number} plane @param {string} label */
  addMultiple(plane, label) {
    const grid = this.part("multiples");
    if (grid.querySelector(`[data-plane="${plane}"]`)) return;
    const canvas = document.createElement("canvas");
    const button = element("button", "button is-text multiple", canvas, span(label));
    Object.assign(button, { type: "button", onclick: () => this.showPlane(plane) });
    button.dataset.plane = String(plane);
    if (plane === this.found.mean) grid.prepend(button);
    else grid.append(button);
    const { panel } = this;
    drawPreview(canvas, panel, { gamma: panel.options.gamma, ...this.options(plane) }, () => canvas.isConnected).catch(console.warn);
  }

  /** @param {number} plane @param {number} [share] of the way to it @param {number} [origin] where the way begins */
  options(plane, share = 1, origin = undefined) {
    const planes = origin === undefined || share === 1 ? [plane] : [plane, origin];
    return { kept: null, moves: [], morph: /** @type {any} */ ([this.found.resamples, Number(share.toFixed(4)), ...planes]) };
  }

  showPlane(plane) {
    this.showPlaying(0);
    this.panel.changeView(this.options(plane));
  }

  toggle() {
    if (!this.playing) return this.play().catch(console.warn);
    this.showPlaying(0);
    return this.panel.changeView({ morph: null });
  }

  // From one resample to the next, by the clock, and round again.
  async play() {
    const { panel } = this;
    panel.history.player.pause();
    const number = performance.now();
    this.showPlaying(number);
    while (this.playing === number && !panel.isDisposed) {
      const began = performance.now();
      const { planes } = this.found;
      const at = ((began - number) * state.speed) / RESAMPLE_MS;
      const i = Math.floor(at);
      await panel.changeView(this.options(planes[(i + 1) % planes.length], at - i, planes[i % planes.length]));
      await wait(began + FRAME_MS - performance.now());
    }
  }

  showPlaying(number) {
    this.playing = number;
    this.part("play").textContent = number ? "Stop moving" : "Watch it move";
  }
}

// The interval of a feature as a bar, and in words.
function featureItem({ name, low, high, words }) {
  const bar = element("span", "interval");
  bar.style.setProperty("--low", String(low));
  bar.style.setProperty("--high", String(high));
  bar.setAttribute("aria-hidden", "true");
  return element("li", "", element("strong", "", name), bar, span(words));
}
