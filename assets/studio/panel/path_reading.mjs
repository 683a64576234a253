// What an arrow that bends says under the pointer, or where the slider of its tool is: the value of its
// feature there, and where that moves a row.
import { hide, write } from "../page/dom.mjs";
import { switches } from "../page/switches.mjs";
import { atStep, nearestStep, originOf, pathOf, pathWords, stepOfShare } from "../plane/arrows.mjs";
import { drawnAxes, toPixels } from "../plane/pixel_axes.mjs";

const REACH_PX = 10; // between the pointer and the path that it reads
const BESIDE_PX = 12; // from the place to its words

export class PathReading {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.plot = panel.part("plot");
    this.slider = panel.part("path-share");
    panel.node.addEventListener("panel:point", ({ detail }) => this.readNear(detail));
    panel.node.addEventListener("panel:plane", () => {
      this.clear();
      this.followChoice();
    });
    if (this.slider) this.connectSlider();
  }

  connectSlider() {
    this.slider.addEventListener("input", () => this.readChoice());
    this.slider.addEventListener("focus", () => this.readChoice());
    this.slider.addEventListener("blur", () => this.clear());
    this.panel.part("arrow").addEventListener("change", () => this.followChoice());
    this.panel.part("tools").addEventListener("toggle", () => this.followChoice());
  }

  // The slider is there for features that bend.
  followChoice() {
    if (this.slider) hide(this.slider.closest(".tool"), this.chosen() === null);
  }

  /** The arrow that is chosen among the tools, if it bends. */
  chosen() {
    const { arrows } = this.panel.plane ?? {};
    const i = arrows?.features.indexOf(Number(this.panel.part("arrow").value)) ?? -1;
    return arrows?.values?.[i] ? i : null;
  }

  readChoice() {
    const i = this.chosen();
    if (i === null || !drawnAxes(this.plot)) return this.clear();
    const words = this.read(i, stepOfShare(Number(this.slider.value) / 100));
    return this.slider.setAttribute("aria-valuetext", words);
  }

  // Of paths that cross, the nearest.
  /** @param {Point | null} pointer in pixels */
  readNear(pointer) {
    const { plane, figure, arrowLimit } = this.panel;
    const values = plane?.arrows.values;
    if (!pointer || !values || !switches.arrows.value || !drawnAxes(this.plot)) return this.clear();
    const found = values
      .map((own, i) => ({ i, isRead: own && i < arrowLimit && this.panel.painting.names.isDrawn(i) }))
      .filter(({ isRead }) => isRead)
      .map(({ i }) => {
        const pixels = pathOf(figure, plane, i).map((point) => toPixels(this.plot, point));
        return { i, ...nearestStep(pixels, pointer) };
      })
      .sort((one, other) => one.distance - other.distance)[0];
    if (!found || found.distance > REACH_PX) return this.clear();
    return this.read(found.i, found.step);
  }

  /** Shows and returns what the path of an arrow says at a step. */
  read(i, step) {
    const { plane, figure } = this.panel;
    const path = pathOf(figure, plane, i);
    const { names, values } = plane.arrows;
    const words = pathWords(names[i], values[i], path, originOf(figure, plane, i), step, this.panel.nComponents < 2);
    const place = /** @type {Point} */ ([0, 1].map((axis) => atStep(path.map((vertex) => vertex[axis]), step)));
    const [x, y] = toPixels(this.plot, place);
    this.show(words, x, y);
    return words;
  }

  // Beside the place, on the side that has more room.
  show(words, x, y) {
    const [reading, mark] = [this.panel.part("path-reading"), this.panel.part("path-mark")];
    write(reading, words);
    for (const node of [reading, mark]) hide(node, false);
    mark.style.translate = `${x}px ${y}px`;
    const { clientWidth: width, clientHeight: height } = this.plot;
    const isLeft = x > width / 2;
    reading.style.left = isLeft ? "" : `${x + BESIDE_PX}px`;
    reading.style.right = isLeft ? `${width - x + BESIDE_PX}px` : "";
    reading.style.top = y > height / 2 ? "" : `${y + BESIDE_PX}px`;
    reading.style.bottom = y > height / 2 ? `${height - y + BESIDE_PX}px` : "";
  }

  clear() {
    for (const name of ["path-reading", "path-mark"]) hide(this.panel.part(name), true);
  }
}
