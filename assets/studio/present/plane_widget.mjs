// A plane in the cell of a notebook: what melm_studio/programs/plane_widget.py shows, by the protocol of anywidget.
import { button, element, hide, write } from "../page/dom.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { toPixels } from "../plane/pixel_axes.mjs";
import { isPoints } from "../plane/traces.mjs";
import { outlineFrom } from "../rows/outline.mjs";
import { showClasses } from "./class_buttons.mjs";
import { Picture } from "./replay/picture.mjs";

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
    "change:_plane": () => cell?.showPlane(),
    "change:_words": () => cell?.say(),
    "change:selected": () => cell?.showSelected(),
    "change:height": () => cell?.fitHeight(),
  };
  for (const [event, call] of Object.entries(changes)) model.on(event, call);
  changes["change:_scene"]();
  if (cell) cell.showPlane();
  else root.textContent = model.get("_words");
  return () => Object.entries(changes).forEach(([event, call]) => model.off(event, call));
}

class Cell {
  /** @param {HTMLElement} root @param {Model} model */
  constructor(root, model) {
    this.root = root;
    this.model = model;
    this.node = element("div", "picture");
    this.classes = element("ul", "classes");
    this.lasso = button("", "Select by a line", () => this.switchLasso());
    this.clear = button("", "Select none", () => this.select([]));
    this.words = element("p", "words");
    this.words.setAttribute("role", "status");
    root.append(this.node, element("div", "below", this.classes, this.lasso, this.clear, this.words));
    this.lasso.setAttribute("aria-pressed", "false");
    this.picture = new SelectablePicture(this.node, model.get("_scene"));
    this.picture.take = (place) => (this.hasLasso ? this.outline(place) : null);
    this.picture.colors.watch(() => this.showAround());
    this.fitHeight();
    this.showAround();
    this.connectClick();
  }

  fitHeight() {
    this.node.style.height = `${this.model.get("height")}px`;
  }

  showPlane() {
    const plane = this.model.get("_plane");
    if (!plane.traces) return;
    this.picture.show(decodedPlane(plane), plane.axes);
    this.showSelected();
  }

  showAround() {
    const { scene, colors } = this.picture;
    this.root.dataset.scheme = colors.now();
    showClasses(this.classes, scene.names, scene.figures[colors.now()], this.picture.classes, (alone) => {
      this.picture.showAlone(alone);
      this.showAround();
    });
  }

  showSelected() {
    const selected = new Set(this.model.get("selected"));
    this.picture.select(selected.size ? selected : null);
    hide(this.clear, !selected.size);
    this.say();
  }

  say() {
    const n = this.model.get("selected").length;
    const chosen = n ? `${n.toLocaleString("en")} ${n === 1 ? "row" : "rows"} selected. ` : "";
    const words = `${chosen}${this.model.get("_words")}`;
    write(this.words, words);
    this.picture.plot.setAttribute("aria-label", `Plane of ${this.picture.scene.names.join(", ")}. ${words}`);
  }

  switchLasso() {
    const isOn = this.node.classList.toggle("is-lasso");
    this.lasso.setAttribute("aria-pressed", String(isOn));
  }

  get hasLasso() {
    return this.node.classList.contains("is-lasso");
  }

  outline(place) {
    const { picture } = this;
    return outlineFrom(picture.plot, "lasso", place, (corners) => this.select(picture.rowsWithin(corners)));
  }

  select(rows) {
    this.model.set("selected", [...new Set(rows)].sort((a, b) => a - b));
    this.model.save_changes();
  }

  // A click selects the row there; with a key held it joins the others, or leaves them.
  connectClick() {
    const { plot } = this.picture;
    /** @type {Point} */
    let from = [0, 0];
    plot.addEventListener("pointerdown", ({ offsetX, offsetY }) => (from = [offsetX, offsetY]));
    plot.addEventListener("click", ({ offsetX, offsetY, shiftKey, ctrlKey, metaKey }) => {
      const isDrag = Math.hypot(offsetX - from[0], offsetY - from[1]) > CLICK_PX;
      if (isDrag || this.hasLasso) return; // a line may end where it began
      const row = this.picture.rowAt([offsetX, offsetY]);
      const before = this.model.get("selected");
      if (!(shiftKey || ctrlKey || metaKey)) this.select(row === null || before.join() === String(row) ? [] : [row]);
      else if (row !== null) this.select(before.includes(row) ? before.filter((other) => other !== row) : [...before, row]);
    });
  }
}

class SelectablePicture extends Picture {
  /**
   * @param {HTMLElement} node that the picture fills
   * @param {import("./replay/picture.mjs").Scene & { rows: number[][] }} scene with the rows of each trace
   */
  constructor(node, scene) {
    super(node, scene, colorsBehind(node));
    this.rows = scene.rows;
  }

  /** @param {Set<number> | null} rows that stand out */
  select(rows) {
    const points = this.rows.filter((_, trace) => isPoints(this.scene.figures.light.data[trace]));
    this.selected = rows && points.map((own) => own.flatMap((row, at) => (rows.has(row) ? [at] : [])));
    this.draw();
  }

  /** @param {Point} place */
  rowAt(place) {
    const found = this.nearest(place);
    return found && this.rows[found.trace][found.index];
  }

  /** @param {Point[]} corners */
  rowsWithin(corners) {
    const within = new Path2D();
    for (const corner of corners) within.lineTo(...corner);
    const pen = /** @type {HTMLCanvasElement} */ (element("canvas", "")).getContext("2d");
    const { classes, plane, scene } = this;
    return plane.traces.flatMap(({ x, y }, trace) => {
      const { meta } = scene.figures.light.data[trace];
      if (!isPoints({ meta }) || (classes && !classes.includes(meta.class))) return [];
      return this.rows[trace].filter((_, at) => pen.isPointInPath(within, ...toPixels(this.plot, [x[at], y[at]])));
    });
  }

  nameOf(point) {
    return `Row ${this.rows[point.trace][point.index]}: ${super.nameOf(point)}`;
  }
}

// Notebooks say in ways of their own whether they are dark. What is behind the cell says it, too.
/** @param {Element} node */
function colorsBehind(node) {
  const system = globalThis.matchMedia("(prefers-color-scheme: dark)");
  const now = () => {
    for (let behind = node.closest(".melm-plane").parentElement; behind; behind = behind.parentElement) {
      const [red, green, blue, alpha = 1] = getComputedStyle(behind).backgroundColor.match(/[\d.]+/g).map(Number);
      if (alpha > 0) return (0.299 * red + 0.587 * green + 0.114 * blue) / 255 < DARK ? "dark" : "light";
    }
    return "light";
  };
  const watch = (draw) => {
    system.addEventListener("change", draw);
    const observer = new MutationObserver(draw);
    for (const around of [document.documentElement, document.body]) observer.observe(around, { attributes: true });
  };
  return { now, watch };
}
