// The features that separate the classes, that first without which most is lost, as the server lists them: while planes
// follow each other by the lengths of their arrows. A feature that is pointed at, or pressed, has its arrow lit in the picture.
import { update } from "../page/dash.mjs";
import { hide, isNarrow, write } from "../page/dom.mjs";
import { moveAmong } from "../page/menu.mjs";
import { mode } from "../page/mode.mjs";
import { sendCommand } from "../panel/commands.mjs";
import { Question } from "../panel/question.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { originOf } from "../plane/arrows.mjs";
import { drawnAxes, toPixels } from "../plane/pixel_axes.mjs";
import { askAgain } from "./inspector.mjs";

/** @typedef {{ feature: number, name: string, x: number, y: number, is_seen?: boolean }} Feature */
/** What a quick one lacks is known of a plane that stays. @typedef {{ features: Feature[], markup: string, second?: string, images?: any }} Ranking */

const MOST_AT_FIRST = 6; // features
const WHILE_RUNNING_MS = 500;

/** @param {Panel} panel whose run has features to list, or none */
export const addFeatureList = (panel) => panel.part("feature-list") && new FeatureList(panel);

class FeatureList {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.node = panel.part("feature-list");
    this.arrow = new LitArrow(panel);
    this.images = new PixelImages(panel, (pixel) => this.arrow.show(pixel ?? this.lit()));
    /** @type {Map<string, Feature>} */
    this.features = new Map(); // in the list, by number
    this.ranking = new Question(panel, () => addressOf(panel, "features"), (ranking) => ranking.refusal || this.show(ranking));
    this.askedAt = -Infinity; // while planes follow each other
    this.isAll = false; // whether the whole list was asked for
    panel.node.addEventListener("panel:painted", () => this.follow());
    panel.node.addEventListener("panel:news", ({ detail: { verdict } }) => this.noteCheck(verdict?.check));
    for (const event of ["pointerover", "focusin"]) this.node.addEventListener(event, ({ target }) => this.light(target));
    for (const event of ["pointerleave", "focusout"]) this.node.addEventListener(event, () => this.light(null));
    this.node.addEventListener("focusin", ({ target }) => this.stopAt(target.closest("[data-feature]")));
    this.more = panel.part("more-features");
    this.more.onclick = () => this.showAll();
    this.node.addEventListener("keydown", (event) => {
      if (/^Arrow|^End$/.test(event.key)) this.showAll(); // the keys lead to those below, too
      moveAmong(event, this.buttons());
    });
    this.node.addEventListener("click", ({ target }) => this.press(target.closest("[data-feature]")));
    panel.part("one-component").onclick = () => sendCommand(panel, "one-component");
  }

  // While planes follow each other the strongest features suffice; of a plane that stays, all is asked for.
  follow() {
    const { panel } = this;
    if (!panel.isShown()) return;
    this.arrow.place();
    if (mode.value !== "explore") return;
    this.ranking.soon();
    if (panel.isFinal || performance.now() - this.askedAt < WHILE_RUNNING_MS) return;
    this.askedAt = performance.now();
    this.ranking.now(() => addressOf(panel, "features", { quick: "1" }));
  }

  // A check that has ended knows how stable each feature is.
  noteCheck(check) {
    const hasEnded = Boolean(check?.is_final);
    if (hasEnded !== this.isChecked && this.isChecked !== undefined) {
      this.ranking.forget();
      this.follow();
    }
    this.isChecked = hasEnded;
  }

  /** @param {Ranking} ranking */
  show({ features, markup, second, images }) {
    const hadFocus = this.node.contains(document.activeElement);
    update(this.node, markup);
    this.features = new Map(features.map((feature) => [String(feature.feature), feature]));
    const buttons = this.buttons();
    const stop = buttons.find(({ dataset }) => dataset.feature === this.stop) ?? buttons[0];
    this.stopAt(stop);
    if (hadFocus) stop?.focus(); // which has moved in the list
    this.showPressed();
    if (second === undefined) return;
    this.images.show(images);
    this.cut();
    this.fade(features);
    hide(this.panel.part("second"), !second);
    write(this.panel.part("second-words"), `${second} `);
  }

  // The first of a list say the most; the others are a step away.
  cut() {
    const n = this.buttons().length - MOST_AT_FIRST;
    this.node.classList.toggle("is-cut", !this.isAll && n > 1);
    hide(this.more, this.isAll || n <= 1);
    write(this.more, `${n} more`);
  }

  showAll() {
    this.isAll = true;
    this.cut();
  }

  // Arrows of features without a visible effect are faint.
  fade(features) {
    const { panel } = this;
    const unseen = new Set(features.filter((feature) => feature.is_seen === false).map(({ feature }) => feature));
    const isSame = unseen.size === panel.unseen.size && [...unseen].every((feature) => panel.unseen.has(feature));
    panel.unseen = unseen;
    if (!isSame) panel.paint();
  }

  /** @returns {HTMLElement[]} */
  buttons() {
    return [...this.node.querySelectorAll("[data-feature]")];
  }

  // The list is one stop of the Tab key: the feature that had the focus last.
  stopAt(stop) {
    this.stop = stop?.dataset.feature;
    for (const button of this.buttons()) button.tabIndex = button === stop ? 0 : -1;
  }

  light(target) {
    this.pointed = target?.closest?.("[data-feature]")?.dataset.feature ?? null;
    this.arrow.show(this.lit());
  }

  press(button) {
    if (!button) return;
    const { feature } = button.dataset;
    this.pressed = this.pressed === feature ? null : feature;
    this.showPressed();
  }

  showPressed() {
    for (const each of this.buttons()) each.ariaPressed = String(each.dataset.feature === this.pressed);
    const name = this.features.get(this.pressed)?.name;
    this.offerDensities(this.panel.part("feature-densities"), name);
    this.arrow.show(this.lit());
  }

  /** @param {HTMLDetailsElement} place @param {string | undefined} name of the feature that is pressed, if one is */
  offerDensities(place, name) {
    hide(place, !name);
    const asks = `features/${this.pressed}`;
    if (place.dataset.asks === asks) return;
    if (!name) place.open = false;
    else write(place.firstElementChild, `The classes along ${name}`);
    place.dataset.asks = asks;
    askAgain(place);
  }

  lit() {
    return this.features.get(this.pointed ?? this.pressed) ?? null;
  }
}

// The arrow of the feature that is pointed at in the list, over the picture.

class LitArrow {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.feature = null;
    this.node = panel.part("lit-arrow");
    this.line = this.node.querySelector("line");
    this.head = this.node.querySelector("path");
    this.name = this.node.querySelector("text");
  }

  /** @param {{ name: string, x: number, y: number } | null} feature */
  show(feature) {
    this.feature = feature;
    this.place();
  }

  /** Moves the arrow to where its feature points now. */
  place() {
    const { feature, panel } = this;
    const plot = panel.part("plot");
    // A line has a lane for each of its arrows.
    const isShown = feature && panel.plane?.arrows.features.length && panel.nComponents > 1 && drawnAxes(plot);
    this.node.toggleAttribute("data-shown", Boolean(isShown));
    if (!isShown) return;
    const origin = originOf(panel.figure, panel.plane, 0);
    const { scale } = panel.plane.arrows;
    const from = toPixels(plot, origin);
    const to = toPixels(plot, [origin[0] + scale * feature.x, origin[1] + scale * feature.y]);
    for (const [key, value] of Object.entries({ x1: from[0], y1: from[1], x2: to[0], y2: to[1] })) {
      this.line.setAttribute(key, String(value));
    }
    const angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
    this.head.setAttribute("transform", `translate(${to[0]} ${to[1]}) rotate(${angle})`);
    const isRight = to[0] >= from[0];
    this.name.setAttribute("x", String(to[0] + (isRight ? 8 : -8)));
    this.name.setAttribute("y", String(to[1] + 4));
    this.name.setAttribute("text-anchor", isRight ? "start" : "end");
    // Once, where the picture names it already.
    const { arrows } = panel.plane;
    const isNamed = arrows.names.some((name, i) => name === feature.name && panel.painting.names?.isDrawn(i));
    this.name.textContent = isNamed ? "" : feature.name;
  }
}

// Features that are pixels, as small images: what each axis of the plane weighs, what each pixel is worth, and
// the classes' means. They stand in the place of the list of features, which is a button away, and on narrow
// screens first. A pixel that is pointed at, or reached by the arrow keys, is named, and its arrow lit.

/** @typedef {{ at: number[], name: string[], x: number[], y: number[] }} Cells */
/** @typedef {{ height: number, width: number, cells: Cells, markup: string }} Images */
/** @typedef {{ feature: number, name: string, x: number, y: number }} Pixel */

const LEGEND = "Orange: positive, blue: negative";
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class PixelImages {
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
