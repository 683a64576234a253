// The dialog of a figure for print: its form is read at every change, and the preview follows.
import { MORE_LAYERS } from "../constants.mjs";
import { requested, save, sentenceOf } from "../page/answers.mjs";
import { byId } from "../page/dom.mjs";
import { NO_PLANE, showNotice } from "../page/notice.mjs";
import { switches } from "../page/switches.mjs";
import { frontPanel, panelOfRun, shownPanels } from "../panel/panels.mjs";
import { colorColumn, shapeColumn } from "../rows/marks.mjs";
import { chosen } from "../rows/singled_out.mjs";

const SETTLED_MS = 250; // after the last change, until the preview is requested
const MOST_PANELS = 9;

/** @type {HTMLDialogElement} */
let dialog;
let run = null; // whose button opened the dialog
let newest = 0; // the number of the last preview, which wins
let timer = 0;

/** Opens the dialog. @param {Element} button that was clicked */
export function openFigureDialog(button) {
  dialog ??= connected(/** @type {HTMLDialogElement} */ (byId("figure")));
  const place = /** @type {HTMLElement | null} */ (button.closest("[data-run]"));
  run = place?.dataset.run ?? null;
  open();
}

function connected(node) {
  dialog = node;
  node.addEventListener("change", ({ target }) => follow(target));
  node.addEventListener("input", ({ target }) => follow(target));
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    download();
  });
  return node;
}

const part = (name) => /** @type {any} */ (dialog.querySelector(`[data-figure="${name}"]`));
const field = (name) => /** @type {any} */ (dialog.querySelector(`[data-style="${name}"]`));
const say = (message) => (part("words").textContent = message);

function open() {
  const panels = drawnPanels();
  if (!chosenPanel()?.plane) {
    showNotice(NO_PLANE);
    return;
  }
  field("which").closest("label").hidden = panels.length < 2;
  field("which").value = panels.length > 1 && run === null ? "all" : "one";
  for (const layer of ["contours", "arrows", "names", ...MORE_LAYERS]) field(layer).checked = switches[layer].value;
  dialog.showModal();
  field("size").focus();
  followSize();
  preview();
}

// In the order of the page.
const drawnPanels = () => shownPanels().filter(({ plane }) => plane).slice(0, MOST_PANELS);
const chosenPanel = () => (run === null ? (frontPanel() ?? drawnPanels()[0]) : panelOfRun(run));
const chosenPanels = () => (field("which").value === "all" ? drawnPanels() : [chosenPanel()]);

function follow(target) {
  const { style: name } = target.dataset;
  if (name === "size" && target.value) {
    const [width, height] = target.value.split("x");
    Object.assign(field("width"), { value: width });
    Object.assign(field("height"), { value: height });
  }
  followSize();
  if (name === "format") return;
  clearTimeout(timer);
  timer = setTimeout(preview, SETTLED_MS);
}

function followSize() {
  const sizes = [...field("size").options].map(({ value }) => value);
  field("size").value = sizeName(Number(field("width").value), Number(field("height").value), sizes);
}

function chosenStyle() {
  const number = (name) => Number(field(name).value);
  const layers = ["contours", "points", "arrows", "names", ...MORE_LAYERS].filter((name) => field(name).checked);
  return {
    width: number("width"),
    height: number("height"),
    font: number("font"),
    dpi: number("dpi"),
    background: field("background").value,
    palette: field("palette").value,
    legend: field("legend").value,
    axis_titles: field("axis_titles").checked,
    panel_titles: field("panel_titles").checked,
    layers,
  };
}

function request(style, format) {
  const shown = { ...chosen.value, colorBy: colorColumn.value, shapeBy: shapeColumn.value };
  const panels = chosenPanels().map((panel) => panelRequest(panel, shown));
  return requested("figure", { panels, style, format });
}

async function preview() {
  const number = ++newest;
  const image = part("preview");
  image.dataset.state = "waiting";
  try {
    const answer = await request(previewStyle(chosenStyle()), "png");
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
  const format = field("format").value;
  part("download").disabled = true;
  try {
    const answer = await request(chosenStyle(), format);
    const name = await save(answer, `figure.${format}`);
    say(notesOf(answer) || `Saved as ${name}.`);
  } catch (error) {
    say(sentenceOf(error));
  } finally {
    part("download").disabled = false;
  }
}

const notesOf = (answer) => decodeURIComponent(answer.headers.get("X-Notes") ?? "");

// What is requested of the server for a figure for print: panels as they are on screen, and a style.

const PREVIEW_DPI = 144;
const MM_PER_INCH = 25.4;
const MOST_PREVIEW_PIXELS = 1600; // along the longer side

/**
 * What a panel shows.
 * @param {Pick<Panel, "run" | "plane" | "arrowLimit" | "query" | "axes" | "painting">} panel
 * @param {{ classes: number[] | null, rows: Set<number> | null, colorBy: string | null, shapeBy: string | null }} shown
 */
export function panelRequest(panel, { classes, rows, colorBy, shapeBy }) {
  return {
    run: panel.run,
    plane: panel.plane.sequence,
    view: Object.fromEntries(panel.query()),
    limits: panel.axes(),
    marks_outside: !panel.painting.isZoomed(),
    n_arrows: Number.isFinite(panel.arrowLimit) ? panel.arrowLimit : null,
    color_by: colorBy,
    shape_by: shapeBy,
    classes,
    rows: rows && [...rows],
  };
}

/**
 * The style of a preview: that of the file, at the resolution of a screen.
 * @param {{ width: number, height: number, dpi: number }} style
 */
export function previewStyle(style) {
  const longest = Math.max(style.width, style.height) / MM_PER_INCH;
  return { ...style, dpi: Math.round(Math.max(72, Math.min(PREVIEW_DPI, MOST_PREVIEW_PIXELS / longest))) };
}

/**
 * The name of the size, among those on offer, or "" for another.
 * @param {number} width
 * @param {number} height
 * @param {string[]} sizes as "85x85"
 */
export const sizeName = (width, height, sizes) => sizes.find((size) => size === `${width}x${height}`) ?? "";
