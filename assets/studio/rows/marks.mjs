// Points colored or shaped by any column, with a legend whose entries select their rows.
import { ask, showFailure } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { colorScheme } from "../page/dom.mjs";
import { batch, onChange, signal } from "../page/signals.mjs";
import { addToPanels, addToViews } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { numbers } from "../plane/arrays.mjs";
import { shownLayer } from "./row_layer.mjs";
import { selectRows } from "./singled_out.mjs";

const BY_CLASS = "class";

/** The marks by a column; `every`, of a table of which the traces draw a sample. @typedef {PointMarks & Marked} ColumnMarks */

/** @type {WeakMap<Panel, Marks>} */
const marksOf = new WeakMap();

/** The column that colors the points; null for the class. */
export const colorColumn = signal(/** @type {string | null} */ (null));

/** The column that shapes the points; null for the class. */
export const shapeColumn = signal(/** @type {string | null} */ (null));

/** Colors and shapes the points by columns. @param {string | null} color @param {string | null} shape */
export const markBy = (color, shape) =>
  batch(() => {
    colorColumn.set(color);
    shapeColumn.set(shape);
  });

export function addMarks() {
  addToViews((view, panel) => (view.columns = marksOf.get(panel).shown));
  addToPanels((panel) => {
    const marks = new Marks(panel);
    marksOf.set(panel, marks);
    panel.node.addEventListener("panel:painted", () => marks.load());
  });
  onChange([colorColumn, shapeColumn], () => shownPanels().forEach((panel) => marksOf.get(panel).load()));
}

class Marks {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {{ colors: ColumnMarks | null, symbols: ColumnMarks | null }} */
    this.shown = { colors: null, symbols: null };
    this.key = "";
    /** @type {string[] | null} */
    this.columns = null; // of the table, once they are known
    this.legend = panel.part("mark-legend");
    this.legend.onclick = (event) => this.select(event);
    panel.part("mark-tools").addEventListener("beforetoggle", ({ newState }) => newState === "open" && this.open().catch(showFailure));
    panel.part("color-by").onchange = ({ target }) => colorColumn.set(target.value || null);
    panel.part("shape-by").onchange = ({ target }) => shapeColumn.set(target.value || null);
  }

  // The columns come with the first opening.
  async open() {
    const { panel } = this;
    this.columns ??= (await ask(`runs/${panel.run}/columns`)).columns;
    for (const [part, chosen] of [["color-by", colorColumn.value], ["shape-by", shapeColumn.value]]) {
      panel.part(part).replaceChildren(new Option(BY_CLASS, ""), ...this.columns.map((name) => new Option(name)));
      panel.part(part).value = chosen ?? "";
    }
  }

  // Loads what the page wants, then paints again.
  async load() {
    const { panel } = this;
    const [colorBy, shapeBy] = [colorColumn.value, shapeColumn.value];
    const key = JSON.stringify([colorBy, shapeBy, colorBy && colorScheme()]);
    if (key === this.key || !panel.isShown() || (this.key === "" && !colorBy && !shapeBy)) return;
    this.key = key;
    let shown = /** @type {(ColumnMarks | null)[]} */ ([null, null]);
    try {
      shown = await Promise.all([marksBy(panel, "colors", colorBy), marksBy(panel, "symbols", shapeBy)]);
      if (key !== this.key || panel.isDisposed) return;
    } catch (error) {
      showFailure(error);
    }
    const [colors, symbols] = shown;
    this.shown = { colors, symbols };
    writeMarkup(this.legend, `${colors?.markup ?? ""}${symbols?.markup ?? ""}`);
    panel.paint(true);
  }

  // The rows of an entry of the legend.
  select({ target }) {
    const { selects: mark } = target.closest("[data-selects]")?.dataset ?? {};
    const found = Object.values(this.shown).find((marks) => marks?.legend.some((entry) => entry.mark === mark));
    if (!found) return;
    const { every, marks } = found;
    const layer = every && shownLayer(this.panel);
    const rows = layer?.isWhole
      ? [...layer.every.rows.numbers].filter((_, i) => every.palette[every.codes[i]] === mark)
      : this.panel.figure.rows.flatMap((drawn, trace) => drawn.filter((_, i) => marks[trace][i] === mark));
    selectRows(rows);
  }
}

/** @param {Panel} panel @param {"colors" | "symbols"} kind @param {string | null} column @returns {Promise<ColumnMarks | null>} */
async function marksBy(panel, kind, column) {
  if (!column) return null;
  const marks = await ask(`runs/${panel.run}/${kind}?${new URLSearchParams({ column, scheme: colorScheme() })}`);
  return { ...marks, every: marks.every && { ...marks.every, codes: numbers(marks.every.codes) } };
}
