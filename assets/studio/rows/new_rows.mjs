// New rows: those of a second file, placed in the plane of every panel, and what is made of them. It is loaded
// with the first of them.
import { ask, formOf, requested, save, sentenceOf, showFailure } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { addToViews } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { bringToFront, stage } from "../panel/runs.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { placedFile, placeFile } from "./singled_out.mjs";

const SETTLED_MS = 150;
const SIZE = 11;
const EDGE = 0.015; // of the picture: how far marks of rows outside are from its edge

/** @type {WeakMap<Panel, NewRows>} */
const placed = new WeakMap();

addToViews((view, panel) => view.added.push(...(placed.get(panel)?.traces() ?? [])));
onChange(stage, () => refresh(shownPanels()));

/** Shows the new rows, or none any more, in panels. @param {Panel[]} panels */
export function refresh(panels) {
  for (const panel of panels) {
    if (!placed.has(panel)) placed.set(panel, new NewRows(panel));
    placed.get(panel).refreshSoon();
  }
}

/** Uploads a file; its rows are then placed in every panel that is shown. @param {Panel} panel @param {File} file */
export async function place(panel, file) {
  newest = file;
  showNotice(null); // a file before may have been refused
  try {
    const newRows = await ask("upload", formOf(file));
    // Whether the rows fit is known before they replace others.
    await ask(addressOf(panel, "new-rows", fields(newRows)));
    if (file !== newest) return;
    bringToFront(panel.run);
    placeFile(newRows);
  } catch (error) {
    if (file !== newest) return;
    placeFile(null); // rows of a file before are not those of this one
    showFailure(error);
  }
}

/** How addresses name a file. @param {PlacedFile} file */
export const fields = ({ key, name, scaled }) => ({ file: key, name, ...(scaled && { scaled: JSON.stringify(scaled) }) });

/** The newest file that was dropped: what is known of one before it later says nothing any more. @type {File | null} */
let newest = null;

const saveAll = (panel) =>
  requested(addressOf(panel, "new-rows.csv", fields(placedFile.value)))
    .then((answer) => save(answer, "rows.csv"))
    .catch(showFailure);

// A column that seems to be in another unit.
function convert({ scales: column, factor }) {
  const file = placedFile.value;
  if (column) placeFile({ ...file, scaled: { ...file.scaled, [column]: Number(factor) } });
}

class NewRows {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.known = null; // the last answer, and the address that it came from
    panel.node.addEventListener("panel:calibrated", () => this.refreshAnew());
    panel.part("new-remove").onclick = () => placeFile(null);
    panel.part("new-csv").onclick = () => saveAll(panel);
    panel.part("new-body").onclick = ({ target }) => convert(target.dataset);
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
    const { panel } = this;
    this.known = known;
    panel.part("new-rows").hidden = known === null;
    const headline = known ? (known.refusal ?? known.report.headline) : "";
    panel.part("new-line").textContent = headline;
    panel.part("new-headline").textContent = known ? `${known.name}: ${headline}` : "";
    writeMarkup(panel.part("new-body"), known?.markup ?? "");
    panel.paint(true);
  }

  /** Nothing of another plane than the one on screen. @returns {Trace[]} */
  traces() {
    const { panel, known } = this;
    if (!known?.points || known.address !== this.address() || !panel.figure) return [];
    const trained = panel.figure.plane.data.filter(({ meta }) => meta.kind === "train");
    const colors = new Map(trained.map(({ meta, marker }) => [meta.class, marker.color]));
    const ink = panel.figure.plane.layout.font.color;
    const { x, y, rows, names, words, classes, unlike } = known.points;
    const [[left, right], [low, high]] = panel.painting.axes();
    const symbol = unlike.map((isUnlike) => (isUnlike ? "x" : "cross")); // the training rows
    const color = classes.map((code, i) => (unlike[i] ? ink : colors.get(code)));
    const name = (row, i) => names[i] || `row ${row}`;
    return [
      {
        type: "scatter",
        meta: { kind: "new_rows" },
        mode: "markers",
        x: x.map((value) => within(value, left, right)),
        y: y.map((value) => within(value, low, high)),
        text: rows.map((row, i) => `new ${name(row, i)}: ${words[i]}`),
        marker: { symbol, color, size: SIZE, line: { color: ink, width: 1 } },
      },
    ];
  }
}

/** A place in the picture, at its edge for one outside. @param {number} value @param {number} from @param {number} to */
function within(value, from, to) {
  const edge = EDGE * (to - from);
  return Math.min(Math.max(value, from + edge), to - edge);
}
