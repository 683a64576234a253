// Data without runs: their principal components are drawn as soon as they are chosen.
import { ID } from "../constants.mjs";
import { requested } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { byId, colorScheme, fontReady, onColorScheme, wait, whenPresent } from "../page/dom.mjs";
import { decodedPlane } from "./arrays.mjs";
import { nextFrame } from "./clock.mjs";
import { Painter } from "./painter.mjs";
import { pointsIn, rowsIn } from "./row_arrays.mjs";

const LONGEST_WAIT_MS = 1000; // for the first look

/** What the first page shows, which Dash's page begins with. */
let first = "";

export function connectPreview() {
  if ("otherData" in document.documentElement.dataset) firstNode()?.remove();
  first = firstNode()?.dataset.preview ?? "";
  whenPresent(".welcome", (node) => {
    part(node, "begin").addEventListener("click", () => begin(node.dataset.method));
    show(node).catch(console.warn);
  });
  const again = () => {
    const node = /** @type {HTMLElement | null} */ (document.querySelector(".welcome"));
    if (node) show(node).catch(console.warn);
  };
  onColorScheme(again);
}

/** Resolves once the first page shows the data, or cannot soon: nothing else is to delay that. */
export function firstLook() {
  const node = firstNode();
  const drawn = node ? show(node).then(nextFrame).then(nextFrame).catch(console.warn) : null;
  return Promise.race([drawn, wait(LONGEST_WAIT_MS)]);
}

/** Runs the method, or without one that of the form. @param {string | undefined} method */
async function begin(method) {
  if (method) {
    setProps(ID.method, { value: method });
    await nextFrame(); // the form shows the method before it runs
  }
  byId(ID.run).click();
}

/** @returns {HTMLElement | null} */
const firstNode = () => byId(ID.firstPage).querySelector("[data-preview]");

/** @type {{ resized: ResizeObserver, painter: Painter, rows: { dispose(): void } | null } | null} */
let shown = null;

/** @returns {any} */
const part = (node, name) => node.querySelector(`[data-part="${name}"]`);

/** The newest answer: Dash's page draws it anew. @type {{ key: string, found: Promise<any> }} */
let known = { key: "", found: Promise.resolve() };

/** What the server says of data. @param {string} asked */
function answerOn(asked) {
  const key = colorScheme() + asked;
  if (known.key !== key) known = { key, found: request(asked) };
  return known.found.catch((error) => {
    known.key = ""; // so that it is requested again
    throw error;
  });
}

async function request(asked) {
  const answer = await fetch(`preview?scheme=${colorScheme()}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: asked,
  });
  return answer.json();
}

/** @param {HTMLElement} node */
async function show(node) {
  const asked = node.dataset.preview ?? first;
  if (!asked) return;
  const [found] = await Promise.all([answerOn(asked), fontReady()]);
  if (!node.isConnected) return;
  if (found.error) {
    part(node, "caption").textContent = found.error;
    return;
  }
  const drawn = paint(node, found);
  if (!found.is_sample) return;
  const rows = await everyRow(JSON.parse(asked), part(node, "plot"), found);
  if (shown === drawn) paint(node, found, rows);
  else rows.dispose();
}

/** Draws the first look, of which `rows` are all rows, where they are more than the traces draw. */
function paint(node, found, rows = null) {
  part(node, "question").textContent = found.question;
  part(node, "begin").textContent = found.begin.label;
  node.dataset.method = found.begin.method;
  const plot = part(node, "plot");
  plot.setAttribute("aria-label", found.caption);
  const view = {
    plane: { ...decodedPlane(found), arrows: { features: [], names: [] } },
    figure: found.figure,
    titles: null, // the axes mean nothing yet, and neither do arrows
    surface: getComputedStyle(plot).getPropertyValue("--card"),
    hidden: ["arrows"],
    layers: [],
    classes: null,
    selected: null,
    arrows: null,
    unseen: [],
    every: rows,
  };
  shown?.resized.disconnect();
  shown?.painter.dispose();
  shown?.rows?.dispose();
  const painter = new Painter(part(node, "motion"), plot, () => (node.dataset.drawn = colorScheme()));
  const resized = new ResizeObserver(() => plot.clientWidth && painter.show(view, found.limits));
  resized.observe(plot);
  shown = { resized, painter, rows };
  return shown;
}

/**
 * Every row of a large table, to be drawn under the contours in place of the sample.
 * @param {object} data
 * @param {HTMLElement} plot
 * @param {{ figure: any, limits: Axes }} found what the server answers of a first look
 */
async function everyRow(data, plot, found) {
  const bytes = async (address) => (await requested(address, data)).arrayBuffer();
  const points = pointsIn(await bytes("preview/every-point"));
  const rows = rowsIn(await bytes("preview/every-row"));
  const { StillRows } = await import("./still_rows.mjs");
  return new StillRows(plot, found, rows, points);
}
