// The front run: the one that Explore and Present show, and the row of tabs to choose it from.
import { byId, element, span, whenPresent, write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { allPanels, frontPanel, panelOfRun, panelRuns, shownPanels } from "./panels.mjs";
import { bringToFront, frontRun, runStates, stage } from "./runs.mjs";

const STATE_LABELS = {
  queued: "waiting",
  running: "running",
  paused: "paused",
  failed: "failed",
  cancelled: "stopped",
  lost: "lost",
};

export function connectFrontRun() {
  document.addEventListener("click", ({ target }) => {
    const tab = /** @type {HTMLElement} */ (target).closest?.("[data-tab]");
    if (tab) bringToFront(/** @type {HTMLElement} */ (tab).dataset.tab);
  });
  onChange([mode, frontRun], arrange);
  onChange(runStates, showStates);
  onChange(panelRuns, followList);
  whenPresent("#run-tabs", showTabs);
}

/** @type {string | null} */
let due = null; // a run to bring to the front once its data are shown

/** Makes a run the front run as soon as its data are shown. @param {string} run */
export function openRun(run) {
  if (panelOfRun(run)) bringToFront(run);
  else due = run;
}

let arranged = ""; // the stage when the panels were last arranged
/** The panel in front. @type {Panel | null} */
let inFront = null;

// On the same stage, only panels are painted that others have made outdated.
const isOutdated = (panel) => panel.painting.isStale() || stage.value !== arranged;

// Shows the front run; where it was removed, the newest.
function arrange() {
  const panels = allPanels();
  if (!panels.some(({ run }) => run === frontRun.value)) bringToFront(panels.at(-1)?.run ?? null);
  for (const { run, node } of panels) node.classList.toggle("is-front", run === frontRun.value);
  markTab();
  showInPlaceOf(inFront);
  for (const panel of shownPanels().filter(isOutdated)) panel.restyle().catch(console.warn);
  arranged = stage.value;
}

// A panel that comes to the front begins with the picture that stands there.
function showInPlaceOf(former) {
  inFront = frontPanel() ?? null;
  if (former && inFront && inFront !== former && mode.value !== "compare") inFront.painting.takeOver(former.painting);
}

// A run that has just been started comes to the front; when the page loads, the newest does.
let listed = /** @type {string[]} */ ([]);

function followList(runs) {
  const added = runs.filter((run) => !listed.includes(run));
  listed = runs;
  showTabs();
  if (due && panelOfRun(due)) bringToFront(due);
  else if (added.length) bringToFront(added.at(-1));
  due = null;
  arrange();
}

// The row of tabs, of which those stay that there are.
function showTabs() {
  const row = byId("run-tabs");
  if (!row) return;
  const shown = [...row.children].map((tab) => /** @type {HTMLElement} */ (tab).dataset.tab);
  const tabs = allPanels().map((panel) => tabOf(panel.run) ?? newTab(panel.run));
  allPanels().forEach(({ node }, at) => write(tabs[at].firstChild, node.dataset.title));
  // The one that has the focus keeps it.
  if (String(tabs.map(({ dataset }) => dataset.tab)) !== String(shown)) row.replaceChildren(...tabs);
  markTab();
  showStates();
}

function newTab(run) {
  const tab = element("button", "button run-tab", document.createTextNode(""), span("", "tab-state"));
  Object.assign(tab, { type: "button" }).dataset.tab = run;
  return tab;
}

function markTab() {
  for (const { run } of allPanels()) tabOf(run)?.setAttribute("aria-pressed", run === frontRun.value);
}

/** @returns {any} */
const tabOf = (run) => document.querySelector(`[data-tab="${run}"]`);

function showStates() {
  for (const { run, node } of allPanels()) {
    const name = runStates.value[run];
    const tab = tabOf(run);
    if (name) node.dataset.state = name;
    if (name && tab) write(tab.lastChild, STATE_LABELS[name] ?? "");
  }
}
