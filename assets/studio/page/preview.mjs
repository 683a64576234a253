// Data without runs: their principal components are drawn as soon as they are chosen, on a canvas, for
// nothing in them is pointed at. So this picture does not wait for plotly.
import { ID, PLANE_TRACE } from "../constants.mjs";
import { CanvasAnimation } from "../drawing/animation.mjs";
import { decodedPlane } from "../drawing/arrays.mjs";
import { tickStep } from "../drawing/scales.mjs";
import { byId, colorScheme, onColorScheme, whenPresent } from "./dom.mjs";

// The axes of a first look mean nothing yet, and neither do arrows.
const LEFT_OUT = [PLANE_TRACE.arrowLines, PLANE_TRACE.arrowHeads];

export function connectPreview() {
  whenPresent("[data-preview]", (node) => {
    part(node, "begin").addEventListener("click", () => byId(ID.run).click());
    show(node).catch(console.warn);
  });
  const again = () => {
    const node = /** @type {HTMLElement | null} */ (document.querySelector("[data-preview]"));
    if (node) show(node).catch(console.warn);
  };
  onColorScheme(again);
}

const MOST_LINES = 8; // of the grid, along each axis

/** @type {{ resized: ResizeObserver, animation: CanvasAnimation } | null} */
let shown = null;

/** @returns {any} */
const part = (node, name) => node.querySelector(`[data-part="${name}"]`);

async function show(node) {
  const answer = await fetch(`preview?scheme=${colorScheme()}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: node.dataset.preview,
  });
  const found = await answer.json();
  if (answer.ok) paint(node, found);
  else part(node, "caption").textContent = found.error;
}

function paint(node, found) {
  part(node, "question").textContent = found.question;
  const plot = part(node, "plot");
  plot.setAttribute("aria-label", found.caption);
  const halo = getComputedStyle(plot).getPropertyValue("--card");
  const arrays = decodedPlane(found).traces;
  const traces = found.figure.data
    .map((style, i) => ({ ...style, ...arrays[i], halo }))
    .filter(({ meta, x }) => x && !LEFT_OUT.includes(meta.kind));
  const picture = { plane: found, traces, axes: found.limits, features: [] };
  const { layout } = found.figure;
  const dtick = tickStep(found.limits[0], MOST_LINES);
  const withGrid = { ...layout, xaxis: { ...layout.xaxis, dtick }, yaxis: { ...layout.yaxis, dtick } };
  shown?.resized.disconnect();
  shown?.animation.dispose();
  const animation = new CanvasAnimation(part(node, "motion"), plot, () => {
    animation.keep();
    node.dataset.drawn = colorScheme();
  });
  const resized = new ResizeObserver(() => plot.clientWidth && animation.draw(picture, withGrid, false));
  resized.observe(plot);
  shown = { resized, animation };
}
