// The plane of a run as it moves between bootstrap resamples, beside the picture: played in the picture
// as a loop, and each resample as a small picture.
import { ask } from "../page/answers.mjs";
import { button, element, lessMotion, span, wait } from "../page/dom.mjs";
import { speed } from "../panel/history.mjs";
import { AnalysisView } from "./analysis_view.mjs";
import { drawPreview } from "./preview.mjs";

const FRAME_MS = 1000 / 15;
const FRAMES_A_RESAMPLE = 12;
const FRAMES_AHEAD = 3;
const MOST_MULTIPLES = 12;
const INTERVALS =
  "Lengths of the loadings of the strongest features: 95 % of the resamples lie within the bar, which ranges from 0 to 1.";

export class View extends AnalysisView {
  constructor() {
    const play = button("button is-light", "Watch it move", () => this.toggle());
    play.disabled = true;
    const multiples = element("div", "multiples");
    multiples.setAttribute("role", "group");
    multiples.setAttribute("aria-label", "Resamples");
    const features = element("ul", "intervals");
    features.setAttribute("aria-label", "Features");
    const note = element("p", "hint");
    super("resamples", element("div", "", play), multiples, features, element("p", "hint", INTERVALS), note);
    this.parts = { play, multiples, features, note };
  }

  // Of the run that is open already, the motion ends where it began.
  open(panel) {
    if (this.playing) this.toggle();
    super.open(panel);
  }

  forget() {
    super.forget();
    this.parts.multiples.replaceChildren();
    this.parts.features.replaceChildren();
  }

  close() {
    const wasPlaying = this.playing > 0;
    super.close();
    this.showPlaying(0);
    if (wasPlaying && !this.panel.isDisposed) this.panel.changeView({ morph: null });
  }

  show() {
    const { planes, mean, labels, note, features } = this.found;
    this.parts.note.textContent = note;
    this.parts.play.hidden = lessMotion.matches;
    this.parts.play.disabled = planes.length < 2;
    if (mean !== null) this.addMultiple(mean, "Plane that they agree on");
    planes.slice(0, MOST_MULTIPLES).forEach((plane, i) => this.addMultiple(plane, labels[i]));
    const list = this.parts.features;
    if (features.length && !list.children.length) list.append(...features.map(featureItem));
  }

  /** A small picture that shows its plane in the large one when it is pressed. @param {number} plane @param {string} label */
  addMultiple(plane, label) {
    const grid = this.parts.multiples;
    if (grid.querySelector(`[data-plane="${plane}"]`)) return;
    const canvas = document.createElement("canvas");
    const multiple = button("button is-text multiple", canvas, () => this.showPlane(plane));
    multiple.append(span(label));
    multiple.dataset.plane = String(plane);
    if (plane === this.found.mean) grid.prepend(multiple);
    else grid.append(multiple);
    const { panel } = this;
    drawPreview(canvas, panel, { gamma: panel.options.gamma, ...this.options(plane) }, () => canvas.isConnected).catch(console.warn);
  }

  /** @param {number} plane @param {number} [share] of the way to it @param {number} [origin] where the way begins */
  options(plane, share = 1, origin = undefined) {
    const planes = origin === undefined || share === 1 ? [plane] : [plane, origin];
    return { n_top_features: null, edits: [], morph: /** @type {any} */ ([this.found.run, Number(share.toFixed(4)), ...planes]) };
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

  // From one resample to the next, and round again. Frames are kept, so that a loop whose planes come
  // slowly plays smoothly from its second round on.
  async play() {
    const { panel } = this;
    panel.history.player.pause();
    const number = performance.now();
    this.showPlaying(number);
    const frames = new Frames(panel);
    for (let at = 0; this.playing === number && !panel.isDisposed; at += 1) {
      const began = performance.now();
      for (let ahead = 1; ahead <= FRAMES_AHEAD; ahead += 1) frames.load(this.optionsOfFrame(at + ahead)).catch(() => null);
      const plane = await frames.load(this.optionsOfFrame(at)).catch(() => null);
      if (!plane || this.playing !== number) break;
      await panel.showWith(this.optionsOfFrame(at), plane);
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
    this.parts.play.textContent = number ? "Stop moving" : "Watch it move";
  }
}

// The planes of a loop, each requested once.
class Frames {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {Map<string, Promise<Plane>>} */
    this.kept = new Map();
  }

  /** @param {Partial<ViewOptions>} options */
  load(options) {
    const address = this.panel.addressWith(options);
    if (!this.kept.has(address)) this.kept.set(address, ask(this.panel.requests.url(address)).then((plane) => ({ ...plane, address })));
    return this.kept.get(address);
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
