// Features that are pixels, as small images: what each axis of the plane weighs, what each pixel is worth, and
// the classes' means. They stand in the place of the list of features, which is a button away, and on narrow
// screens first. A pixel that is pointed at, or reached by the arrow keys, is named, and its arrow lit.
import { update } from "../page/dash.mjs";
import { hide, isNarrow, write } from "../page/dom.mjs";

/** @typedef {{ at: number[], name: string[], x: number[], y: number[] }} Cells */
/** @typedef {{ height: number, width: number, cells: Cells, markup: string }} Images */
/** @typedef {{ feature: number, name: string, x: number, y: number }} Pixel */

const LEGEND = "Orange: positive, blue: negative";
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class PixelImages {
  /**
   * @param {Panel} panel
   * @param {(pixel: Pixel | null) => void} onPixel with the pixel that is pointed at
   */
  constructor(panel, onPixel) {
    this.onPixel = onPixel;
    this.node = panel.part("pixel-images");
    this.card = this.node.parentElement;
    this.button = panel.part("features-as");
    this.isList = isNarrow();
    /** @type {Images | null} */
    this.images = null;
    this.button.onclick = () => this.turn(!this.isList);
    this.node.addEventListener("pointermove", (event) => this.point(event));
    this.node.addEventListener("pointerdown", (event) => this.point(event));
    this.node.addEventListener("pointerleave", () => this.leave());
    this.node.addEventListener("focusout", () => this.leave());
    this.node.addEventListener("keydown", (event) => this.step(event));
  }

  /** @param {Images | null | undefined} images none where features are no pixels */
  show(images) {
    this.images = images ?? null;
    hide(this.button, !images);
    if (images) update(this.node, images.markup);
    if (images && !this.place) this.say(LEGEND);
    this.turn(this.isList);
  }

  /** @param {boolean} isList */
  turn(isList) {
    this.isList = isList;
    const isShown = Boolean(this.images) && !isList;
    hide(this.node, !isShown);
    this.card.classList.toggle("has-images", isShown);
    write(this.button, isList ? "Images" : "List");
    this.button.title = isList ? "Show the features as the pixels of an image" : "Show the features as a list";
  }

  /** @param {PointerEvent} event */
  point({ target, clientX, clientY }) {
    const frame = /** @type {Element} */ (target).closest(".pixel-frame");
    if (!frame || !this.images) return this.leave();
    const { left, top, width, height } = frame.getBoundingClientRect();
    const place = [((clientY - top) / height) * this.images.height, ((clientX - left) / width) * this.images.width];
    return this.mark(place.map(Math.floor));
  }

  /** @param {KeyboardEvent} event */
  step(event) {
    const step = STEPS[event.key];
    if (!step || !this.images) return;
    event.preventDefault();
    const from = this.place ?? [Math.floor(this.images.height / 2), Math.floor(this.images.width / 2)];
    this.mark(this.place ? from.map((at, side) => at + step[side]) : from);
  }

  leave() {
    if (!this.place) return;
    this.place = null;
    this.node.classList.remove("has-mark");
    this.say(LEGEND);
    this.onPixel(null);
  }

  say(words) {
    write(this.node.querySelector(".pixel-words"), words);
  }

  /** Names one pixel, and marks it in all images. @param {number[]} place row and column */
  mark([row, column]) {
    const { height, width, cells } = this.images;
    const place = [Math.min(Math.max(row, 0), height - 1), Math.min(Math.max(column, 0), width - 1)];
    if (this.place?.[0] === place[0] && this.place[1] === place[1]) return;
    this.place = place;
    const feature = cells.at.indexOf(place[0] * width + place[1]);
    const sizes = { "--row": place[0], "--column": place[1], "--rows": height, "--columns": width };
    for (const [name, value] of Object.entries(sizes)) this.node.style.setProperty(name, String(value));
    this.node.classList.add("has-mark");
    const where = `row ${place[0] + 1}, column ${place[1] + 1}`;
    this.say(feature < 0 ? `No feature: ${where}` : `${cells.name[feature]}: ${where}`);
    this.onPixel(feature < 0 ? null : { feature, name: cells.name[feature], x: cells.x[feature], y: cells.y[feature] });
  }
}
