// Data without runs: their principal components are drawn as soon as they are chosen.
import { ID, PLANE_TRACE } from "../constants.mjs";
import { CanvasAnimation } from "../drawing/animation.mjs";
import { decodedPlane } from "../drawing/arrays.mjs";
import { clear, draw, keepFitted } from "../drawing/plotly.mjs";
import { byId, colorScheme, onColorScheme, whenPresent } from "./dom.mjs";

// The axes of a first look mean nothing yet, and neither do arrows.
const LEFT_OUT = [PLANE_TRACE.arrowLines, PLANE_TRACE.arrowHeads];

export function connectPreview() {
  whenPresent("[data-preview]", (node) => {
    part(node, "begin").addEventListener("click", () => byId(ID.run).click());
    keepFitted(part(node, "plot"), () => {});
    show(node).catch(console.warn);
  });
  whenPresent("[data-preview], [data-run]", clearFormer);
  const again = () => {
    const node = /** @type {HTMLElement | null} */ (document.querySelector("[data-preview]"));
    if (node) show(node).catch(console.warn);
  };
  onColorScheme(again);
}

/** @type {HTMLElement | null} */
let drawn = null; // the plot that plotly holds

// Plotly holds a plot that Dash has removed until it is cleared.
function clearFormer() {
  if (!drawn || drawn.isConnected) return;
  clear(drawn);
  drawn = null;
}

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
  const arrays = decodedPlane(found).traces;
  const traces = found.figure.data
    .map((style, i) => ({ ...style, ...arrays[i] }))
    .filter(({ meta }) => !LEFT_OUT.includes(meta.kind));
  const [x, y] = found.limits;
  const { layout } = found.figure;
  const still = { ...layout, dragmode: false, xaxis: { ...layout.xaxis, range: x }, yaxis: { ...layout.yaxis, range: y } };
  const animation = new CanvasAnimation(part(node, "motion"), plot, async () => {
    await draw(plot, traces, still, { staticPlot: true });
    animation.end();
    drawn = plot;
    node.dataset.drawn = colorScheme();
  });
  animation.draw({ plane: found, traces, axes: found.limits, features: [] }, layout, false);
}
