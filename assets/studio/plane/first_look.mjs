// Data without runs: their principal components are drawn as soon as they are chosen, and one button begins.
import { ask, requested, sentenceOf } from "../page/answers.mjs";
import { byId, colorScheme, fontReady, onColorScheme, wait } from "../page/dom.mjs";
import { decodedPlane } from "./arrays.mjs";
import { nextFrame } from "./clock.mjs";
import { EveryRow, pointsIn, rowsIn } from "./every_row.mjs";
import { Painter } from "./painter.mjs";

const LONGEST_WAIT_MS = 1000; // for the first look
const STARTING = "Starting";

/**
 * Starts a run of data by a method, or without one by that of the form; resolves to a sentence if there is none.
 * @typedef {(data: object, method: string | undefined) => Promise<string | null>} Begin
 */

/** @type {Begin} */
let begin;
/** The data of a first look, as the server takes them. @type {WeakMap<HTMLElement, { id: string }>} */
const dataOf = new WeakMap();
let drawing = Promise.resolve();

/** Takes the first look that the document comes with, of which the button works at once. @param {Begin} onBegin */
export function connectPreview(onBegin) {
  begin = onBegin;
  onColorScheme(() => look() && draw(look()));
  const node = look();
  if (!node) return;
  if ("otherData" in document.documentElement.dataset) node.replaceWith(copy());
  else if (node.dataset.preview) take(node, JSON.parse(node.dataset.preview));
}

/** Resolves once the first page shows the data, or cannot soon: nothing else is to delay that. */
export const firstLook = () => Promise.race([drawing.then(nextFrame).then(nextFrame), wait(LONGEST_WAIT_MS)]);

/** Shows a first look at data in place of panels. @param {any} data as the server takes them */
export function welcome(data) {
  const node = look();
  if (node && dataOf.get(node)?.id === data.id) return;
  node?.remove();
  const next = copy();
  byId("panels").append(next);
  take(next, data);
}

/** @type {Left | null} */
let left = null;

/** Makes room for panels, the first of which goes on from the picture. */
export function endWelcome() {
  if (shown) left = shown.left();
  look()?.remove();
  release();
}

/** What the first look showed last, once. */
export function leftOfWelcome() {
  const picture = left;
  left = null;
  return picture;
}

/** The first look, where it is shown. @returns {HTMLElement | null} */
export const look = () => byId("panels").querySelector(".welcome");

const copy = () => byId("welcome-model").content.firstElementChild.cloneNode(true);

function take(node, data) {
  dataOf.set(node, data);
  const button = part(node, "begin");
  button.disabled = false;
  button.addEventListener("click", () => press(node, button));
  drawing = draw(node);
}

async function press(node, button) {
  if (button.getAttribute("aria-disabled") === "true") return;
  const label = button.textContent;
  const write = (text, isBusy) => {
    button.textContent = text;
    button.setAttribute("aria-disabled", isBusy); // it keeps the focus
  };
  write(STARTING, true);
  part(node, "said").textContent = STARTING;
  const refusal = await begin(dataOf.get(node), node.dataset.method);
  write(label, false);
  part(node, "said").textContent = refusal ?? "";
  if (refusal) say(node, refusal);
}

/** @type {Painter | null} */
let shown = null;

function release() {
  shown?.dispose();
  shown = null;
}

/** @returns {any} */
const part = (node, name) => node.querySelector(`[data-part="${name}"]`);

/** @param {HTMLElement} node @param {string} refusal */
function say(node, refusal) {
  part(node, "caption").textContent = refusal;
}

/** @param {HTMLElement} node */
const draw = (node) => show(node).catch(console.warn);

/** @param {HTMLElement} node */
async function show(node) {
  const data = dataOf.get(node);
  if (!data) return;
  const asked = ask(`preview?scheme=${colorScheme()}`, data).catch((error) => say(node, sentenceOf(error)));
  const [found] = await Promise.all([asked, fontReady()]);
  if (!found || !node.isConnected) return;
  release();
  const painter = (shown = paint(node, found));
  if (!found.is_sample) return;
  const every = await everyRow(data, painter.plot, found);
  if (shown === painter) painter.show({ every });
  else every.dispose();
}

/** Draws the first look. */
function paint(node, found) {
  part(node, "question").textContent = found.question;
  if (!part(node, "said").textContent) part(node, "begin").textContent = found.begin.label;
  node.dataset.method = found.begin.method;
  const plot = part(node, "plot");
  plot.setAttribute("aria-label", found.caption);
  const painter = new Painter(part(node, "motion"), plot);
  painter.show({
    plane: { ...decodedPlane(found), arrows: { features: [], names: [] } },
    figure: found.figure,
    surface: getComputedStyle(node).backgroundColor,
    axes: found.limits,
    hidden: ["arrows"], // which mean nothing yet, and neither do the titles of the axes
  });
  nextFrame().then(() => (node.dataset.drawn = colorScheme()));
  return painter;
}

/**
 * Every row of a large table, to be drawn under the contours in place of the sample.
 * @param {object} data
 * @param {HTMLElement} plot
 * @param {{ limits: Axes }} found what the server answers of a first look
 */
async function everyRow(data, plot, found) {
  const bytes = async (address) => (await requested(address, data)).arrayBuffer();
  const points = pointsIn(await bytes("preview/every-point"));
  const rows = rowsIn(await bytes("preview/every-row"));
  return new EveryRow(plot, rows, points, found.limits);
}
