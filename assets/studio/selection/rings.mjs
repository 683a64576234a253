// Rings around a row in every panel: the row under the pointer, and the one that is marked.
import { hasPicture, sizeOf, toPixels } from "../drawing/plotly.mjs";
import { shownLayer } from "../every_row/layers.mjs";
import { hide } from "../page/dom.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { state, update } from "../state.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

/** @type {WeakMap<Panel, Rings>} */
const ringsOf = new WeakMap();

/** @type {WeakMap<object, Map<number, [trace: number, point: number]>>} */
const indices = new WeakMap();

/** @param {Panel} panel @param {(rows: number[]) => void} onSelect */
export function addRings(panel, onSelect) {
  ringsOf.set(panel, new Rings(panel, onSelect));
}

/** Marks a row of the table, or none. @param {number | null} row */
export function mark(row) {
  update({ marked: row });
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-mark]"))) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.mark) === row));
  }
  placeRings();
}

function hover(row) {
  if (row === state.hovered) return;
  update({ hovered: row });
  placeRings();
}

const placeRings = () => shownPanels().forEach((panel) => ringsOf.get(panel).place());

class Rings {
  constructor(panel, onSelect) {
    this.panel = panel;
    this.plot = panel.part("plot");
    this.onSelect = onSelect;
    this.hovered = ring("is-hovered");
    this.marked = ring("is-marked");
    panel.node.querySelector(".picture").append(this.hovered, this.marked);
    this.plot.addEventListener("mousemove", (event) => this.point(event));
    this.plot.addEventListener("mouseleave", () => this.leave());
    panel.node.addEventListener("panel:painted", () => {
      this.listen();
      this.place();
    });
  }

  listen() {
    const { plot } = this;
    if (this.isListening || !plot.on) return; // plotly may not have drawn yet
    this.isListening = true;
    plot.on("plotly_relayouting", () => this.place());
    // Without points, the event only reports that the outline of a selection was removed.
    plot.on("plotly_selected", (event) => this.select(event));
    plot.on("plotly_deselect", () => this.onSelect([]));
  }

  // Plotly knows nothing of the rows, which are drawn by the layer.
  select(event) {
    const layer = shownLayer(this.panel);
    const corners = layer && cornersOf(event);
    if (corners) this.onSelect(layer.rowsWithin(corners));
  }

  // A pressed button drags the picture.
  point({ clientX, clientY, buttons }) {
    const layer = shownLayer(this.panel);
    if (!layer || buttons) return;
    const { left, top } = this.plot.getBoundingClientRect();
    const found = layer.rowAt([clientX - left, clientY - top]);
    if ((found?.row ?? null) === state.hovered) return;
    if (found) this.show(found.row, found.label);
    else this.leave();
  }

  show(row, label) {
    const at = this.pixels(row);
    hover(row);
    this.panel.announce("hover", at && { row, at, label });
  }

  leave() {
    hover(null);
    this.panel.announce("hover", null);
  }

  /** Moves the rings to where the rows are drawn now. */
  place() {
    const { hovered, marked } = state;
    for (const [node, row] of /** @type {const} */ ([[this.hovered, hovered], [this.marked, marked]])) {
      const at = row === null ? null : this.pixels(row);
      hide(node, at === null);
      if (at) node.style.translate = `${at[0]}px ${at[1]}px`;
    }
  }

  /** @returns {import("../types").Point | null} */
  sampledPoint(row) {
    const { figure, painting: { plane } } = this.panel;
    const index = figure && plane && indexOf(figure, row);
    if (!index) return null;
    const [trace, i] = index;
    const { x, y } = plane.traces[trace];
    return [x[i], y[i]];
  }

  // Null where the row is not drawn, or is outside the picture.
  pixels(row) {
    const { plot, panel } = this;
    const point = hasPicture(plot) && (shownLayer(panel)?.pointOf(row) ?? this.sampledPoint(row));
    if (!point) return null;
    const at = toPixels(plot, point);
    const size = sizeOf(plot);
    return at.every((pixel, axis) => pixel >= 0 && pixel <= size[axis]) ? at : null;
  }
}

/**
 * The corners of the region that plotly reports as selected; null for none.
 * @returns {import("../types").Point[] | null}
 */
function cornersOf(event) {
  if (event?.lassoPoints) return event.lassoPoints.x.map((x, i) => [x, event.lassoPoints.y[i]]);
  if (!event?.range) return null;
  const { x: [left, right], y: [bottom, top] } = event.range;
  return [[left, bottom], [right, bottom], [right, top], [left, top]];
}

// The trace that draws a row of the table, and the point of it that does.
function indexOf(figure, row) {
  if (!indices.has(figure)) {
    const entries = figure.rows.flatMap((rows, trace) => rows.map((known, i) => [known, [trace, i]]));
    indices.set(figure, new Map(entries));
  }
  return indices.get(figure).get(row);
}

function ring(kind) {
  const node = document.createElement("span");
  Object.assign(node, { className: `ring ${kind}`, hidden: true });
  return node;
}
