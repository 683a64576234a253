// The panels of the page, one for each run that Dash has rendered a place for.
import { ID } from "../constants.mjs";
import { nextFrame } from "../drawing/clock.mjs";
import { byId, whenPresent } from "../page/dom.mjs";
import { state } from "../state.mjs";
import { forgetFigures } from "./figures.mjs";
import { Panel } from "./panel.mjs";
import { nodeFor } from "./template.mjs";

/** @type {Map<string, Panel>} */
const known = new Map();

const peers = { all: allPanels, shown: shownPanels, reference: referenceRun, paintStale, paintOnAxes, title };

/** Releases what a panel holds once Dash has removed it; styles know how many panels there are. */
export function connectPanels() {
  whenPresent(`#${ID.panels}`, (place) => {
    new MutationObserver(releaseRemoved).observe(place, { childList: true });
    noteNumber();
  });
}

function noteNumber() {
  const { length } = allPanels();
  if (length) document.body.dataset.panels = String(length);
  else delete document.body.dataset.panels;
}

/** All panels, in the order of the page. @returns {Panel[]} */
export function allPanels() {
  // Among the children alone: a search of the whole page would visit every mark of every picture.
  const places = [...(byId(ID.panels)?.children ?? [])];
  return places.filter((node) => node.dataset.place).map(panelIn);
}

// Dash renders every place anew with each change of their list: the panel then moves to its new place.
function panelIn(place) {
  const panel = known.get(place.dataset.place);
  if (!panel) return newPanel(place);
  if (panel.node.parentNode !== place) {
    place.replaceChildren(panel.node);
    panel.retitle(place.dataset);
  }
  return panel;
}

function newPanel(place) {
  const node = nodeFor(place);
  place.replaceChildren(node);
  const panel = new Panel(node, peers);
  known.set(panel.run, panel);
  return panel;
}

function releaseRemoved() {
  const shown = new Set(allPanels());
  for (const [run, panel] of known) {
    if (shown.has(panel)) continue;
    panel.dispose();
    known.delete(run);
    forgetFigures(run);
  }
  noteNumber();
}

/** The panels on screen in this mode. @returns {Panel[]} */
export function shownPanels() {
  return allPanels().filter((panel) => panel.isShown());
}

function title(run) {
  return panelOfRun(run)?.node.dataset.title ?? "another run";
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

let isFollowing = false;

/**
 * Paints panels whose axes have changed: the one that was zoomed at once, of the others one in each frame,
 * which may meanwhile change again.
 * @param {Panel} first
 */
export async function paintOnAxes(first) {
  await first.paint();
  if (isFollowing) return;
  isFollowing = true;
  /** @type {Map<Panel, string>} */
  const tried = new Map(); // on which axes
  try {
    for (let next = longestStale(tried); next; next = longestStale(tried)) {
      await nextFrame();
      tried.set(next, next.painting.key(next.painting.axes()));
      await next.paint();
    }
  } finally {
    isFollowing = false;
  }
}

/** @param {Map<Panel, string>} tried */
function longestStale(tried) {
  const stale = shownPanels().filter(({ painting }) => painting.isStale());
  const open = stale.filter((panel) => tried.get(panel) !== panel.painting.key(panel.painting.axes()));
  return open.sort((one, other) => one.painting.paintedAt - other.painting.paintedAt)[0];
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
