// A plane in the cell of a notebook: what melm_studio/programs/plane_widget.py shows, by the protocol of anywidget.
import { button, element, hide, write } from "../page/dom.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { toData } from "../plane/pixel_axes.mjs";
import { isWithin } from "../plane/row_grid.mjs";
import { isPoints, pointsOfRows } from "../plane/traces.mjs";
import { outlineFrom } from "../rows/outline.mjs";
import { Picture, REACH_PX } from "./picture.mjs";

/** @typedef {{ get: (name: string) => any, set: (name: string, value: any) => void, save_changes: () => void, on: (event: string, call: () => void) => void, off: (event: string, call: () => void) => void }} Model */

const DARK = 0.5; // of the light behind the picture
const CLICK_PX = 6; // that a pointer may move

/** @param {{ model: Model, el: HTMLElement }} cell */
export function render({ model, el }) {
  const root = element("div", "melm-plane");
  el.append(root);
  /** @type {Cell | null} */
  let cell = null;
  const changes = {
    "change:_scene": () => {
      root.replaceChildren();
      cell = model.get("_scene").names ? new Cell(root, model) : null;
    },
    "change:_plane": () => cell?.showNewest(),
    "change:_words": () => cell?.say(),
    "change:selected": () => cell?.showSelected(),
    "change:height": () => cell?.fitHeight(),
  };
  for (const [event, call] of Object.entries(changes)) model.on(event, call);
  changes["change:_scene"]();
  if (cell) cell.showNewest();
  else root.textContent = model.get("_words");
  return () => Object.entries(changes).forEach(([event, call]) => model.off(event, call));
}

class Cell extends Picture {
  /** @param {HTMLElement} root @param {Model} model */
  constructor(root, model) {
    const [node, legend, words] = [element("div", "picture"), element("ul", "classes"), element("p", "words")];
    super(node, model.get("_scene"), legend);
    this.root = root;
    this.model = model;
    this.node = node;
    this.words = words;
    this.numbers = model.get("_scene").numbers; // of the rows of each trace
    this.lasso = button("", "Select by a line", () => this.switchLasso());
    this.clear = button("", "Select none", () => this.select([]));
    words.setAttribute("role", "status");
    root.append(node, element("div", "below", legend, this.lasso, this.clear, words));
    this.lasso.setAttribute("aria-pressed", "false");
    this.followColors();
    this.fitHeight();
    this.connectClick();
  }

  // Notebooks say in ways of their own whether they are dark.
  followColors() {
    const observer = new MutationObserver(() => this.draw());
    for (const around of [document.documentElement, document.body]) observer.observe(around, { attributes: true });
  }

  get scheme() {
    return schemeBehind(this.root);
  }

  draw() {
    this.root.dataset.scheme = this.scheme;
    super.draw();
  }

  fitHeight() {
    this.node.style.height = `${this.model.get("height")}px`;
  }

  showNewest() {
    const plane = this.model.get("_plane");
    if (!plane.traces) return;
    this.showPlane(decodedPlane(plane), plane.axes);
    this.showSelected();
  }

  showSelected() {
    const rows = new Set(this.model.get("selected"));
    this.show({ selected: rows.size ? pointsOfRows(this.scene.figures.light.data, this.numbers, rows) : null });
    hide(this.clear, !rows.size);
    this.say();
  }

  say() {
    const n = this.model.get("selected").length;
    const chosen = n ? `${n.toLocaleString("en")} ${n === 1 ? "row" : "rows"} selected. ` : "";
    const words = `${chosen}${this.model.get("_words")}`;
    write(this.words, words);
    this.plot.setAttribute("aria-label", `Plane of ${this.scene.names.join(", ")}. ${words}`);
  }

  switchLasso() {
    const isOn = this.node.classList.toggle("is-lasso");
    this.lasso.setAttribute("aria-pressed", String(isOn));
  }

  get hasLasso() {
    return this.node.classList.contains("is-lasso");
  }

  take(place) {
    return this.hasLasso ? outlineFrom(this.plot, "lasso", place, (corners) => this.select(this.rowsWithin(corners))) : null;
  }

  select(rows) {
    this.model.set("selected", [...new Set(rows)].sort((a, b) => a - b));
    this.model.save_changes();
  }

  // A click selects the row there; with a key held it joins the others, or leaves them.
  connectClick() {
    const { plot } = this;
    /** @type {Point} */
    let from = [0, 0];
    plot.addEventListener("pointerdown", ({ offsetX, offsetY }) => (from = [offsetX, offsetY]));
    plot.addEventListener("click", ({ offsetX, offsetY, shiftKey, ctrlKey, metaKey }) => {
      const isDrag = Math.hypot(offsetX - from[0], offsetY - from[1]) > CLICK_PX;
      if (isDrag || this.hasLasso) return; // a line may end where it began
      const row = this.rowAt([offsetX, offsetY]);
      const before = this.model.get("selected");
      if (!(shiftKey || ctrlKey || metaKey)) this.select(row === null || before.join() === String(row) ? [] : [row]);
      else if (row !== null) this.select(before.includes(row) ? before.filter((other) => other !== row) : [...before, row]);
    });
  }

  /** @param {Point} place */
  rowAt(place) {
    const found = this.nearest(place, REACH_PX);
    return found && this.numbers[found.trace][found.index];
  }

  /** @param {Point[]} corners */
  rowsWithin(corners) {
    const outline = corners.map((corner) => toData(this.plot, corner));
    const { figure, plane, classes } = this.view;
    return plane.traces.flatMap(({ x, y }, trace) => {
      const { meta } = figure.data[trace];
      if (!isPoints({ meta }) || (classes && !classes.includes(meta.class))) return [];
      return this.numbers[trace].filter((_, at) => isWithin(x[at], y[at], outline));
    });
  }

  wordsOf(point) {
    return [`Row ${this.numbers[point.trace][point.index]}: ${super.wordsOf(point)}`];
  }
}

/** Whether what is behind an element is light or dark. @param {Element} node */
function schemeBehind(node) {
  for (let behind = node.parentElement; behind; behind = behind.parentElement) {
    const [red, green, blue, alpha = 1] = getComputedStyle(behind).backgroundColor.match(/[\d.]+/g).map(Number);
    if (alpha > 0) return (0.299 * red + 0.587 * green + 0.114 * blue) / 255 < DARK ? "dark" : "light";
  }
  return "light";
}
