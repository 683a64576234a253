// The panels of the page, one for each run of the data that it shows.
import { byId, connectNumber, element, write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange, signal } from "../page/signals.mjs";
import { switches } from "../page/switches.mjs";
import { nextFrame } from "../plane/clock.mjs";
import { endWelcome, look, welcome } from "../plane/first_look.mjs";
import { Panel } from "./panel.mjs";
import { runList } from "./run_list.mjs";
import { frontRun, hiddenRuns } from "./runs.mjs";

/** By run, in the order of the page. @type {Map<string, Panel>} */
let known = new Map();

export const peers = { all: allPanels, shown: shownPanels, reference: referenceRun, paintStale, paintOnAxes };

/** The runs that have a panel; set whenever they are listed, also where only a title is another. */
export const panelRuns = signal(/** @type {string[]} */ ([]));

/** Shows a panel for each run that is listed, or where there are none, the first look at the data. */
export function connectPanels() {
  if (look()) describeList([]); // before the list is there, as Dash may be
  onChange(runList, showPanels);
  onChange(hiddenRuns, () => {
    describeList(runList.value.panels);
    allPanels().forEach(leaveOut);
    paintStale();
  });
}

// Panels that stay are left as they are.
function showPanels({ panels: listed, data }) {
  const runs = listed.map(({ run }) => run);
  for (const run of known.keys()) if (!runs.includes(run)) remove(run);
  describeList(listed);
  const isByKeys = look()?.querySelector(":focus-visible");
  if (runs.length) endWelcome();
  else welcome(data);
  listed.forEach(showPanel);
  known = new Map(runs.map((run) => [run, known.get(run)]));
  panelRuns.set(runs);
  if (isByKeys) queueMicrotask(() => frontPanel()?.part("plot").focus({ preventScroll: true })); // once it is in front
}

// For the styles: of the whole page only what it needs, as all of it is styled anew with an attribute of the body.
function describeList(listed) {
  const n = listed.length;
  const place = byId("panels");
  document.body.dataset.panels = n > 1 ? "several" : n ? "one" : "none";
  const nShown = listed.filter(({ run }) => !hiddenRuns.value.has(run)).length;
  place.dataset.n = String(nShown);
  place.style.setProperty("--panels", String(nShown));
  place.toggleAttribute("data-searches", listed.some(({ has }) => meets("search", has)));
}

// The server lists them from the oldest to the newest, and one whose removal was undone in its place.
function showPanel(described, at) {
  const place = byId("panels");
  const panel = known.get(described.run) ?? new Panel(nodeFor(described), peers);
  known.set(described.run, panel);
  panel.retitle(described);
  leaveOut(panel);
  // Once it is whole: every change of what is on the page costs more.
  if (place.children[at] !== panel.node) place.insertBefore(panel.node, place.children[at] ?? null);
}

// Of Compare, where its run is not ticked.
const leaveOut = ({ run, node }) => node.classList.toggle("is-left-out", hiddenRuns.value.has(run));

function remove(run) {
  const panel = known.get(run);
  known.delete(run);
  panel.node.remove();
  panel.dispose();
}

/** All panels, in the order of the page. */
export function allPanels() {
  return [...known.values()];
}

/** The panels on screen in this mode. @returns {Panel[]} */
export function shownPanels() {
  return allPanels().filter((panel) => panel.isShown());
}

/** @param {string} run @returns {Panel | undefined} */
export const panelOfRun = (run) => known.get(run);

/** The panel that Explore and Present show. @returns {Panel | undefined} */
export const frontPanel = () => panelOfRun(frontRun.value);

/** The run that the others are to be aligned with; else the first shown. */
export const reference = signal(/** @type {string | null} */ (null));

/** Aligns the others with a run. @param {string} run */
export const alignWith = (run) => reference.set(run);

/**
 * The run whose newest plane the others are aligned with, if they are: the same in every mode and behind every tab, so
 * that nothing is mirrored on the way from one to the next.
 * @returns {string | null}
 */
export function referenceRun() {
  const { space } = frontPanel()?.node.dataset ?? {};
  const alike = mode.value === "compare" ? shownPanels() : allPanels().filter(({ node }) => node.dataset.space === space);
  if (!switches.aligned.value || alike.length < 2) return null;
  return (alike.find(({ run }) => run === reference.value) ?? alike[0]).run;
}

let isFollowing = false;

/**
 * Paints panels whose axes have changed: the one that was zoomed at once, of the others one in each frame,
 * which may meanwhile change again.
 * @param {Panel} first
 */
async function paintOnAxes(first) {
  first.paint();
  if (isFollowing) return;
  isFollowing = true;
  /** @type {Map<Panel, string>} */
  const tried = new Map(); // on which axes
  try {
    for (let next = longestStale(tried); next; next = longestStale(tried)) {
      await nextFrame();
      tried.set(next, next.painting.key(next.painting.axes()));
      next.paint();
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
export function paintStale() {
  for (const panel of shownPanels()) {
    if (panel.painting.isStale()) panel.paint();
  }
}

/**
 * The node of a panel: a copy of the template, adapted to its run, many times faster than Dash would render its parts.
 * @param {DescribedPanel} described
 */
export function nodeFor({ label, ...described }) {
  const { title, has, projection } = described;
  const parts = /** @type {DocumentFragment} */ (byId("panel-model").content.cloneNode(true));
  for (const part of elements(parts, "[data-needs]")) if (!meets(part.dataset.needs, has)) part.remove();
  for (const both of elements(parts, ".numbered")) connectNumber(elements(both, "input"));
  parts.querySelector('[data-part="title"]').textContent = title;
  // A nonlinear projection has no components: its axes bear its name.
  if (projection) for (const axis of elements(parts, "[data-axis]")) write(axis, axis.textContent.replace("Component", projection));
  const node = element("section", "panel", parts);
  Object.assign(node.dataset, described);
  node.setAttribute("aria-label", label);
  return node;
}

/** @returns {any[]} */
const elements = (parts, selector) => [...parts.querySelectorAll(selector)];

const meets = (needs, has) => needs.split(" ").every((need) => !need || has.split(" ").includes(need));

/** Whether a run is what something needs. @param {string} needs @param {Panel} panel */
export const isMet = (needs, { node }) => meets(needs, node.dataset.has);
