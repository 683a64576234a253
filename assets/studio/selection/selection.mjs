// Brushing: rows and classes that are singled out, in every panel at once. Selected rows stand out,
// and classes may be shown alone.
import { ID, PLANE_TRACE } from "../constants.mjs";
import { provideCallbacks, setProps } from "../page/dash.mjs";
import { byId, whenPresent } from "../page/dom.mjs";
import { shownLayer } from "../every_row/layers.mjs";
import { addToPanels, dressTraces } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { announce, state, update } from "../state.mjs";
import { classesMessage, selectionMessage } from "./messages.mjs";
import { addRings, mark } from "./rings.mjs";

const FAINT = 0.1;
const BUTTONS = `[data-isolate], [data-class], [data-mark], #${ID.brushed} button, #${ID.isolated} button`;

export function connectSelection() {
  provideCallbacks({ setTable });
  addToPanels((panel) => addRings(panel, selectRows));
  dressTraces(dressBySelection);
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest?.(BUTTONS);
    if (button) press(/** @type {HTMLElement} */ (button));
  });
  whenPresent("[data-class]", () => showMessages());
}

/** Selects rows of the table, by number; none clears the selection. @param {number[]} rows */
export function selectRows(rows) {
  if (!rows.length && !state.rows) return;
  update({ rows: rows.length ? new Set(rows) : null });
  show();
}

// Shows some classes alone, or all.
function isolate(codes) {
  update({ classes: codes?.length ? codes : null });
  show();
}

function show() {
  showMessages();
  announce("rows");
  announce("view");
}

function showMessages() {
  const panel = shownPanels().find((shown) => shown.figure);
  const figure = panel?.figure;
  showMessage(ID.brushed, figure && state.rows && selectionMessage(figure, state.rows, shownLayer(panel)?.rows));
  showMessage(ID.isolated, figure && state.classes && classesMessage(figure, state.classes));
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-class]"))) {
    const isShown = state.classes?.includes(Number(button.dataset.class)) ?? false;
    button.setAttribute("aria-pressed", String(isShown));
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
    setProps(ID.check, { opened: false });
  } else if (code) {
    isolate(toggled(state.classes ?? [], Number(code)));
  } else if (row) {
    mark(state.marked === Number(row) ? null : Number(row));
  } else if (button.closest(`#${ID.brushed}`)) {
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

/** @type {string[]} */
const POINTS = [PLANE_TRACE.train, PLANE_TRACE.heldOut];

// Selected rows stand out, and so do classes that are shown alone.
function dressBySelection(trace, { figure }, position) {
  const { kind, class: code } = trace.meta;
  if (code === undefined) return;
  const isAside = state.classes !== null && !state.classes.includes(code);
  if (!POINTS.includes(kind)) trace.visible = trace.visible && !isAside;
  else dressPoints(trace, figure.rows[position], isAside);
}

function dressPoints(trace, rows, isAside) {
  trace.customdata = rows;
  if (isAside) trace.opacity = FAINT;
  if (state.rows === null) return;
  trace.selectedpoints = rows.flatMap((row, i) => (state.rows.has(row) ? [i] : []));
  trace.unselected = { marker: { opacity: FAINT } };
}

// Another table has other rows and classes; the same one, prepared otherwise, has not.
function setTable(data) {
  const table = JSON.stringify([data?.source?.kind, data?.source?.key, data?.label]);
  if (state.table !== null && state.table !== table) {
    update({ newRows: null }, "newRows");
    update({ colorBy: null, shapeBy: null }, "marks");
    mark(null);
    selectRows([]);
    isolate(null);
  }
  update({ table });
}
