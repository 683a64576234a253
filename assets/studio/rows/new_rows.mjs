// New rows: those of a second file, placed in the plane of every panel, and what is made of them. It is loaded
// with the first of them.
import { PLANE_TRACE } from "../constants.mjs";
import { ask, refusalOf, requested, save, sendFile, sentenceOf } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { button, element } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { addTraces } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { bringToFront, stage } from "../panel/runs.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { placedFile, placeFile } from "./new_rows_buttons.mjs";

const SETTLED_MS = 150;
const SIZE = 11;
const EDGE = 0.015; // of the picture: how far marks of rows outside are from its edge

/** @type {WeakMap<Panel, NewRows>} */
const placed = new WeakMap();

addTraces((panel) => placed.get(panel)?.traces() ?? []);
onChange(stage, () => refresh(shownPanels()));

/** Shows the new rows, or none any more, in panels. @param {Panel[]} panels */
export function refresh(panels) {
  for (const panel of panels) {
    if (!placed.has(panel)) connect(panel);
    placed.get(panel).refreshSoon();
  }
}

/** @param {Panel} panel */
function connect(panel) {
  placed.set(panel, new NewRows(panel));
  panel.node.addEventListener("panel:calibrated", () => placed.get(panel).refreshAnew());
  panel.part("new-remove").onclick = () => placeFile(null);
  panel.part("new-csv").onclick = () => saveAll(panel);
}

/** Uploads a file; its rows are then placed in every panel that is shown. @param {Panel} panel @param {File} file */
export async function place(panel, file) {
  newest = file;
  showNotice(null); // a file before may have been refused
  try {
    const answer = await sendFile(file);
    if (!answer.ok) throw new Error(await refusalOf(answer));
    const newRows = await answer.json();
    // Whether the rows fit is known before they replace others.
    await ask(addressOf(panel, "new-rows", fields(newRows)));
    if (file !== newest) return;
    bringToFront(panel.run);
    placeFile(newRows);
  } catch (error) {
    if (file !== newest) return;
    placeFile(null); // rows of a file before are not those of this one
    showNotice(sentenceOf(error));
  }
}

/** How addresses name a file. @param {import("./new_rows_buttons.mjs").PlacedFile} file */
export const fields = ({ key, name, scaled }) => ({ file: key, name, ...(scaled && { scaled: JSON.stringify(scaled) }) });

/** The newest file that was dropped: what is known of one before it later says nothing any more. @type {File | null} */
let newest = null;

const saveAll = (panel) =>
  requested(addressOf(panel, "new-rows.csv", fields(placedFile.value)))
    .then((answer) => save(answer, "rows.csv"))
    .catch((error) => showNotice(sentenceOf(error)));

class NewRows {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.known = null; // the last answer, and the address that it came from
  }

  // Null while the plane still moves.
  address() {
    const { panel } = this;
    const isMoving = panel.isLive && !panel.isFinal;
    return placedFile.value && panel.plane && !isMoving ? addressOf(panel, "new-rows", fields(placedFile.value)) : null;
  }

  refreshSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), SETTLED_MS);
  }

  // The same rows have other probabilities from now on.
  refreshAnew() {
    if (this.known) this.known.address = "";
    this.refreshSoon();
  }

  async refresh() {
    const address = this.address();
    if (this.panel.isDisposed || !this.panel.isShown() || address === (this.known?.address ?? null)) return;
    if (address === null) {
      if (!placedFile.value) this.show(null);
      return;
    }
    const { name } = placedFile.value;
    try {
      const answer = await ask(address);
      if (address === this.address()) this.show({ address, name, ...answer });
    } catch (error) {
      this.show({ address, name, refusal: sentenceOf(error) });
    }
  }

  show(known) {
    this.known = known;
    this.showReport();
    this.panel.paint(true);
  }

  showReport() {
    const { panel, known } = this;
    const report = known?.report;
    panel.part("new-rows").hidden = known === null;
    const headline = known ? (known.refusal ?? report.headline) : "";
    panel.part("new-line").textContent = headline;
    panel.part("new-headline").textContent = known ? `${known.name}: ${headline}` : "";
    writeMarkup(panel.part("new-list"), known?.markup ?? "");
    const notes = (report?.notes ?? []).map((note) => element("li", "", note));
    panel.part("new-notes").replaceChildren(...notes);
    panel.part("new-questions").replaceChildren(...(report?.scales ?? []).map(scaleQuestion));
    panel.part("new-confusion").replaceChildren(...(report?.confusion.length ? confusionRows(report) : []));
  }

  // Nothing of another plane than the one on screen.
  traces() {
    const { panel, known } = this;
    if (!known?.points || known.address !== this.address() || !panel.figure) return [];
    const colors = new Map(trainTraces(panel).map(({ meta, marker }) => [meta.class, marker.color]));
    const ink = panel.figure.plane.layout.font.color;
    const { points, report } = known;
    const [unlike, alike] = [true, false].map((kind) => points.rows.flatMap((_, i) => (points.unlike[i] === kind ? [i] : [])));
    const traces = report.class_names.map((_, code) =>
      this.trace(alike.filter((i) => points.classes[i] === code), { symbol: "cross", color: colors.get(code), ink }),
    );
    return [...traces, this.trace(unlike, { symbol: "x", color: ink, ink })];
  }

  trace(chosen, { symbol, color, ink }) {
    const { points } = this.known;
    const [[left, right], [low, high]] = this.panel.axes();
    const clamped = (value, from, to) => {
      const edge = EDGE * (to - from);
      return Math.min(Math.max(value, from + edge), to - edge);
    };
    return {
      type: "scatter",
      meta: { kind: "new_rows" },
      mode: "markers",
      x: chosen.map((i) => clamped(points.x[i], left, right)),
      y: chosen.map((i) => clamped(points.y[i], low, high)),
      text: chosen.map((i) => label(points, i)),
      marker: { symbol, color, size: SIZE, line: { color: ink, width: 1 } },
    };
  }
}

// A column that seems to be in another unit, with the button that converts it.
function scaleQuestion({ column, factor, sentence, label: words }) {
  const convert = button("button", words, () => {
    const file = placedFile.value;
    placeFile({ ...file, scaled: { ...file.scaled, [column]: factor } });
  });
  return element("div", "table-question", element("p", "", sentence), element("div", "choices", convert));
}

/** @param {Panel} panel */
const trainTraces = (panel) => panel.figure.plane.data.filter(({ meta }) => meta.kind === PLANE_TRACE.train);

function label(points, i) {
  return `new ${points.names[i] || `row ${points.rows[i]}`}: ${points.words[i]}`;
}

function confusionRows({ class_names: names, confusion }) {
  const head = element("tr", "", element("td", ""), ...names.map((name) => element("th", "", name)));
  const rows = confusion.map((counts, code) =>
    element("tr", "", element("th", "", names[code]), ...counts.map((n, other) => element("td", code === other ? "is-right" : "", String(n)))),
  );
  return [element("caption", "", "Class by row, prediction by column"), head, ...rows];
}
