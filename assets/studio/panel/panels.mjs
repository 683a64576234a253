// The panels of the page, one for each run that Dash has rendered a placeholder for.
import { clear } from "../drawing/plotly.mjs";
import { state } from "../state.mjs";
import { Panel } from "./panel.mjs";

/** @type {Map<string, Panel>} */
const known = new Map();

const peers = { shown: shownPanels, reference: referenceRun, paintStale };

/** All panels, in the order of the page. @returns {Panel[]} */
export function allPanels() {
  return [...document.querySelectorAll("[data-run]")].map((node) => panelOf(/** @type {HTMLElement} */ (node)));
}

// Dash may have rendered another node for the run, or given the node to another run: the panel is
// then made again and takes over what was known.
function panelOf(node) {
  const { run } = node.dataset;
  const former = known.get(run);
  if (former?.node === node) return former;
  for (const part of node.querySelectorAll(".plot, .curve")) clear(part);
  const panel = new Panel(node, peers);
  known.set(run, panel);
  if (former) panel.adopt(former);
  return panel;
}

/** The panels on screen in this mode. @returns {Panel[]} */
export function shownPanels() {
  return allPanels().filter((panel) => panel.isShown());
}

/** @param {string} run @returns {Panel | undefined} */
export const panelOfRun = (run) => allPanels().find((panel) => panel.run === run);

/** The panel that Explore and Present show. @returns {Panel | undefined} */
export const frontPanel = () => panelOfRun(state.front);

/** The run whose newest plane the others are aligned with, if they are. @returns {string | null} */
export function referenceRun() {
  const shown = shownPanels();
  if (!state.aligned || shown.length < 2) return null;
  return (shown.find(({ run }) => run === state.reference) ?? shown[0]).run;
}

/**
 * Paints the panels that have a new plane or new axes, each once. Linked panels share axes that
 * hold all of them, so planes are first shown and then painted here.
 */
export async function paintStale() {
  for (const panel of shownPanels()) {
    if (panel.painting.isStale()) await panel.paint();
  }
}
