// The dialog of a figure for print: its form is read at every change, and the preview follows.
import { notesOf, requested, save, sentenceOf } from "../page/answers.mjs";
import { byId } from "../page/dom.mjs";
import { NO_PLANE, showNotice } from "../page/notice.mjs";
import { switches } from "../page/switches.mjs";
import { frontPanel, shownPanels } from "../panel/panels.mjs";
import { colorColumn, shapeColumn } from "../rows/marks.mjs";
import { chosen } from "../rows/singled_out.mjs";

const SETTLED_MS = 250; // after the last change, until the preview is requested
const PREVIEW_DPI = 144;
const MOST_PANELS = 9;
// What the form says of the style of a figure.
const STYLE = ["width", "height", "font", "dpi", "background", "palette", "legend"];
const TITLES = ["axis_titles", "panel_titles"];

/** @type {HTMLFormElement} */
let form;
/** @type {any} */
let fields; // of the form, by name
let newest = 0; // the number of the last preview, which wins
let timer = 0;

/** Opens the dialog. */
export function openFigureDialog() {
  if (!form) connect();
  if (!chosenPanel()?.plane) return showNotice(NO_PLANE);
  const hasSeveral = drawnPanels().length > 1;
  fields.which.closest("label").hidden = !hasSeveral;
  fields.which.value = hasSeveral ? "all" : "one";
  for (const layer of fields.layers) layer.checked = switches[layer.value]?.value ?? layer.checked;
  byId("figure").showModal();
  fields.size.focus();
  showSize();
  return preview();
}

function connect() {
  form = byId("figure").querySelector("form");
  fields = form.elements;
  for (const event of ["change", "input"]) form.addEventListener(event, ({ target }) => follow(/** @type {any} */ (target)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    download();
  });
}

const part = (name) => /** @type {any} */ (byId("figure").querySelector(`[data-figure="${name}"]`));
const say = (message) => (part("words").textContent = message);

// In the order of the page.
const drawnPanels = () => shownPanels().filter(({ plane }) => plane).slice(0, MOST_PANELS);
const chosenPanel = () => frontPanel() ?? drawnPanels()[0];

function follow({ name, value }) {
  if (name === "size" && value) [fields.width.value, fields.height.value] = value.split("x");
  showSize();
  if (name === "format") return;
  clearTimeout(timer);
  timer = setTimeout(preview, SETTLED_MS);
}

// The name of a size on offer, else that of one's own.
function showSize() {
  fields.size.value = `${fields.width.value}x${fields.height.value}`;
  if (fields.size.selectedIndex < 0) fields.size.value = "";
}

/** @param {string} format @param {object} [change] of the style */
function request(format, change) {
  const values = STYLE.map((name) => [name, fields[name].value]);
  const titles = TITLES.map((name) => [name, fields[name].checked]);
  const style = { ...Object.fromEntries([...values, ...titles]), layers: new FormData(form).getAll("layers"), ...change };
  const shown = { ...chosen.value, colorBy: colorColumn.value, shapeBy: shapeColumn.value };
  const panels = fields.which.value === "all" ? drawnPanels() : [chosenPanel()];
  return requested("figure", { panels: panels.map((panel) => panelRequest(panel, shown)), style, format });
}

async function preview() {
  const number = ++newest;
  const image = part("preview");
  image.dataset.state = "waiting";
  try {
    const answer = await request("png", { dpi: PREVIEW_DPI });
    const file = await answer.blob();
    if (number !== newest) return;
    URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(file);
    image.dataset.state = "drawn";
    say(notesOf(answer));
  } catch (error) {
    if (number !== newest) return;
    image.dataset.state = "refused";
    say(sentenceOf(error));
  }
}

async function download() {
  const format = fields.format.value;
  part("download").disabled = true;
  try {
    const answer = await request(format);
    const name = await save(answer, `figure.${format}`);
    say(notesOf(answer) || `Saved as ${name}.`);
  } catch (error) {
    say(sentenceOf(error));
  } finally {
    part("download").disabled = false;
  }
}

/**
 * What is requested of a panel for a figure: what it shows.
 * @param {Pick<Panel, "run" | "plane" | "arrowLimit" | "query" | "painting">} panel
 * @param {{ classes: number[] | null, rows: Set<number> | null, colorBy: string | null, shapeBy: string | null }} shown
 */
export function panelRequest(panel, { classes, rows, colorBy, shapeBy }) {
  return {
    run: panel.run,
    plane: panel.plane.sequence,
    view: Object.fromEntries(panel.query()),
    limits: panel.painting.axes(),
    marks_outside: !panel.painting.isZoomed(),
    n_arrows: Number.isFinite(panel.arrowLimit) ? panel.arrowLimit : null,
    color_by: colorBy,
    shape_by: shapeBy,
    classes,
    rows: rows && [...rows],
  };
}
