// Brushing: rows and classes that are singled out, in every panel at once. Selected rows stand out,
// and classes may be shown alone.
import { byId, hide, onClick, whenPresent } from "../page/dom.mjs";
import { batch, onChange } from "../page/signals.mjs";
import { dragMode } from "../page/switches.mjs";
import { addToPanels, addToViews } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { shownData } from "../panel/run_list.mjs";
import { drawnAxes, sizeOf, toData, toPixels } from "../plane/pixel_axes.mjs";
import { positionOf } from "../plane/every_row.mjs";
import { markBy } from "./marks.mjs";
import { outlineFrom } from "./outline.mjs";
import { knownRows, pointOf, shownLayer } from "./row_layer.mjs";
import { chosen, isolate, mark, markedRow, placeFile, selectedRows, selectRows, shownClasses } from "./singled_out.mjs";
import { pointsOfRows } from "../plane/traces.mjs";

const BUTTONS = "[data-isolate], [data-class], [data-mark], #brushed button, #isolated button";

export function connectSelection() {
  addToPanels((panel) => {
    connectOutline(panel);
    ringsOf.set(panel, new Rings(panel));
  });
  addToViews(singleOut);
  onClick(BUTTONS, press);
  onChange(shownData, followTable);
  onChange(chosen, showMessages);
  onChange(markedRow, showMarked);
  whenPresent("[data-class]", showMessages);
}

function showMessages() {
  const panel = shownPanels().find((shown) => shown.figure);
  const figure = panel?.figure;
  showMessage("brushed", figure && selectedRows.value && selectionMessage(figure.classes, knownRows(panel), selectedRows.value));
  showMessage("isolated", figure && shownClasses.value && classesMessage(figure, shownClasses.value));
  showPressed("[data-class]", ({ class: code }) => shownClasses.value?.includes(Number(code)) ?? false);
}

/** @param {string} selector of buttons @param {(data: DOMStringMap) => boolean} isPressed */
function showPressed(selector, isPressed) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector))) {
    button.setAttribute("aria-pressed", String(isPressed(button.dataset)));
  }
}

function showMessage(id, message) {
  const node = byId(id);
  node.hidden = !message;
  node.querySelector("[role=status]").textContent = message ?? "";
}

function press(button) {
  const { isolate: pair, class: code, mark: row } = button.dataset;
  if (pair) {
    isolate(pair.split(",").map(Number));
  } else if (code) {
    isolate(toggled(shownClasses.value ?? [], Number(code)));
  } else if (row) {
    mark(markedRow.value === Number(row) ? null : Number(row));
  } else if (button.closest("#brushed")) {
    selectRows([]);
  } else {
    isolate(null);
  }
}

/**
 * A sorted list with a code taken out, or put in.
 * @param {number[]} codes
 * @param {number} code
 */
export function toggled(codes, code) {
  if (codes.includes(code)) return codes.filter((known) => known !== code);
  return [...codes, code].sort((a, b) => a - b);
}

/** Selects the rows that are encircled; a double click selects none. @param {Panel} panel */
function connectOutline(panel) {
  const { node, painting } = panel;
  const { plot } = painting;
  const select = (corners) => {
    const rows = shownLayer(panel)?.rowsWithin(corners.map((corner) => toData(plot, corner)));
    if (rows) selectRows(rows);
  };
  const picture = node.querySelector(".picture");
  painting.takers.push((place) => (dragMode.value === "pan" ? null : outlineFrom(picture, dragMode.value, place, select)));
  plot.addEventListener("dblclick", () => dragMode.value === "pan" || selectRows([]));
}

// Selected rows stand out, and so do classes that are shown alone.
function singleOut(view, { figure: { rows, plane } }) {
  const { rows: wanted, classes } = chosen.value;
  Object.assign(view, { rows: wanted, classes, selected: wanted && pointsOfRows(plane.data, rows, wanted) });
}

/** What the rows and classes belong to. @type {string | null} */
let shownTable = null;

// Another table has other rows and classes; the same one, prepared otherwise, has not.
function followTable(data) {
  const table = JSON.stringify([data?.source?.kind, data?.source?.key, data?.label]);
  if (shownTable !== null && shownTable !== table) {
    batch(() => {
      placeFile(null);
      markBy(null, null);
      mark(null);
      selectRows([]);
      isolate(null);
    });
  }
  shownTable = table;
}

// Sentences about the rows and classes that are singled out.

/**
 * How many rows are selected, in all and of each class that is drawn.
 * @param {string[]} classNames
 * @param {Pick<Rows, "numbers" | "classes">} known rows
 * @param {Set<number>} rows
 */
export function selectionMessage(classNames, { numbers, classes }, rows) {
  const names = [...classNames, "without a label"]; // the latter are only among all rows
  const counts = names.map(() => 0);
  for (const row of rows) {
    const at = positionOf(numbers, row);
    if (at >= 0) counts[classes[at]] += 1;
  }
  const parts = names.flatMap((name, code) => (counts[code] ? [`${counts[code].toLocaleString("en")} ${name}`] : []));
  return `${rows.size.toLocaleString("en")} ${rows.size === 1 ? "row" : "rows"} selected: ${parts.join(", ")}`;
}

/**
 * @param {Figure} figure
 * @param {number[]} codes of the classes that alone are shown
 */
export function classesMessage({ classes }, codes) {
  const names = codes.map((code) => classes[code]);
  return `Only ${names.join(" and ")} ${names.length === 1 ? "is" : "are"} shown`;
}

// Rings around a row in every panel: the row under the pointer, and the one that is marked.

/** @type {WeakMap<Panel, Rings>} */
const ringsOf = new WeakMap();

function showMarked(row) {
  showPressed("[data-mark]", ({ mark: number }) => Number(number) === row);
  placeRings();
}

/** The row under the pointer. @type {number | null} */
let hovered = null;

function hover(row) {
  if (row === hovered) return;
  hovered = row;
  placeRings();
}

const placeRings = () => shownPanels().forEach((panel) => ringsOf.get(panel).place());

const MARK_REACH_PX = 7;

class Rings {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.plot = panel.part("plot");
    this.hovered = panel.part("ring-hovered");
    this.marked = panel.part("ring-marked");
    panel.node.addEventListener("panel:point", ({ detail }) => this.point(detail));
    panel.node.addEventListener("panel:painted", () => this.place());
  }

  // What a mark says that lies over the rows, else which row is there.
  /** @param {Point | null} place in pixels */
  point(place) {
    const { panel, plot } = this;
    const isDrawn = place !== null && drawnAxes(plot) !== null;
    const over = isDrawn ? panel.painting.nearest(place, MARK_REACH_PX, saysSomething) : null;
    const found = isDrawn && !over ? shownLayer(panel)?.rowAt(place) : null;
    if (found && found.row === hovered) return;
    hover(found?.row ?? null);
    const at = found ? this.pixels(found.row) : over?.at;
    const label = found?.label ?? panel.painting.traces[over?.trace]?.text[over.index];
    panel.announce("hover", at ? { row: hovered, at, label } : null);
  }

  /** Moves the rings to where the rows are drawn now. */
  place() {
    for (const [node, row] of /** @type {const} */ ([[this.hovered, hovered], [this.marked, markedRow.value]])) {
      const at = row === null ? null : this.pixels(row);
      hide(node, at === null);
      if (at) node.style.translate = `${at[0]}px ${at[1]}px`;
    }
  }

  // Null where the row is not drawn, or is outside the picture.
  pixels(row) {
    const { plot, panel } = this;
    const point = drawnAxes(plot) && pointOf(panel, row);
    if (!point) return null;
    const at = toPixels(plot, point);
    const size = sizeOf(plot);
    return at.every((pixel, axis) => pixel >= 0 && pixel <= size[axis]) ? at : null;
  }
}

/** Whether the marks of a trace have words. @param {Trace} trace */
export const saysSomething = ({ mode, text, visible }) => mode === "markers" && Boolean(text) && visible !== false;
