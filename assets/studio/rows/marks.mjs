// Points colored or shaped by any column, with a legend whose entries select their rows.
import { PLANE_TRACE } from "../constants.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { colorScheme } from "../page/dom.mjs";
import { connectPopover } from "../page/menu.mjs";
import { showNotice } from "../page/notice.mjs";
import { batch, onChange, signal } from "../page/signals.mjs";
import { addToPanels, dressTraces } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { numbers } from "../plane/arrays.mjs";
import { dressByColumns, shownLayer } from "./row_layer.mjs";
import { selectRows } from "./singled_out.mjs";
import { isPoints } from "../plane/traces.mjs";

const BY_CLASS = "class";

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
  dressTraces((trace, panel, position) => marksOf.get(panel).dress(trace, position));
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
    /** @type {{ colors: PointMarks | null, symbols: PointMarks | null }} */
    this.shown = { colors: null, symbols: null };
    this.key = "";
    /** @type {string[] | null} */
    this.columns = null; // of the table, once they are known
    this.legend = panel.part("mark-legend");
    this.legend.onclick = (event) => this.select(event);
    connectPopover(panel.part("marks"), panel.part("mark-tools"));
    panel.part("mark-tools").addEventListener("beforetoggle", ({ newState }) => newState === "open" && this.open());
    panel.part("color-by").onchange = ({ target }) => colorColumn.set(target.value || null);
    panel.part("shape-by").onchange = ({ target }) => shapeColumn.set(target.value || null);
  }

  // The columns come with the first opening.
  async open() {
    const { panel } = this;
    try {
      this.columns ??= (await ask(`runs/${panel.run}/columns`)).columns;
    } catch (error) {
      showNotice(sentenceOf(error));
      return;
    }
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
    try {
      const [colors, symbols] = await Promise.all([
        colorBy && ask(`runs/${panel.run}/colors?${new URLSearchParams({ column: colorBy, scheme: colorScheme() })}`),
        shapeBy && ask(`runs/${panel.run}/symbols?${new URLSearchParams({ column: shapeBy })}`),
      ]);
      if (key !== this.key || panel.isDisposed) return;
      this.shown = { colors, symbols };
    } catch (error) {
      showNotice(sentenceOf(error));
      this.shown = { colors: null, symbols: null };
    }
    dressByColumns(panel, { colors: everyMark(this.shown.colors), symbols: everyMark(this.shown.symbols) });
    this.showLegend();
    panel.paint(true);
  }

  dress(trace, position) {
    const { colors, symbols } = this.shown;
    const { kind } = trace.meta;
    if (isPoints(trace)) {
      const isOpen = kind === PLANE_TRACE.heldOut;
      if (colors) trace.marker = { ...trace.marker, color: colors.marks[position] };
      if (symbols) trace.marker = { ...trace.marker, symbol: symbols.marks[position].map((name) => (isOpen ? `${name}-open` : name)) };
    } else if (kind === PLANE_TRACE.contour && colors) {
      // The colors of the classes would be read as values.
      const { color } = this.panel.figure.plane.layout.font;
      Object.assign(trace, { line: { ...trace.line, color, width: 0.7 }, fill: "none", opacity: 0.45 });
    }
  }

  showLegend() {
    const { colors, symbols } = this.shown;
    writeMarkup(this.legend, `${colors?.markup ?? ""}${symbols?.markup ?? ""}`);
  }

  select({ target }) {
    const { selects } = target.closest("[data-selects]")?.dataset ?? {};
    const marks = [this.shown.colors, this.shown.symbols].find((each) => each?.legend.some(({ mark }) => mark === selects));
    if (marks) selectRows(this.rowsWith(marks, selects));
  }

  rowsWith(marks, mark) {
    const layer = marks.every && shownLayer(this.panel);
    if (layer?.isWhole) {
      const { palette, codes } = everyMark(marks);
      return [...layer.rows.numbers].filter((_, i) => palette[codes[i]] === mark);
    }
    return this.panel.figure.rows.flatMap((rows, trace) => rows.filter((_, i) => marks.marks[trace][i] === mark));
  }
}

/** @param {PointMarks | null} marks */
const everyMark = (marks) => marks?.every && { palette: marks.every.palette, codes: numbers(marks.every.codes) };
