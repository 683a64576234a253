// The front run: the one that Explore and Present show, and the row of tabs to choose it from.
import { byId, element, onClick, span, whenPresent, write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { leftOfWelcome } from "../plane/first_look.mjs";
import { remove } from "./commands.mjs";
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
  onClick("[data-removes]", () => allPanels().length && remove(allPanels()).catch(console.warn));
  onClick("[data-tab]", ({ dataset: { tab } }) => bringToFront(tab));
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
  showStates();
  showInPlaceOf(inFront);
  for (const panel of shownPanels().filter(isOutdated)) panel.restyle().catch(console.warn);
  arranged = stage.value;
}

// A panel that comes to the front begins with the picture that stands there.
function showInPlaceOf(former) {
  inFront = frontPanel() ?? null;
  if (!inFront || inFront === former) return;
  const left = former ? former.painting.left() : leftOfWelcome();
  if (left && mode.value !== "compare") inFront.painting.takeOver(left);
}

// A run that has just been started comes to the front; when the page loads, the newest does.
let listed = /** @type {string[]} */ ([]);

function followList(runs) {
  const added = runs.filter((run) => !listed.includes(run));
  listed = runs;
  if (due && panelOfRun(due)) bringToFront(due);
  else if (added.length) bringToFront(added.at(-1));
  due = null;
  arrange();
}

// The row of tabs, of which those stay that there are.
function showTabs() {
  const row = byId("run-tabs");
  if (!row) return;
  const tabs = allPanels().map(({ run, node: { dataset } }) => {
    const tab = /** @type {HTMLElement} */ (row.querySelector(`[data-tab="${run}"]`)) ?? newTab(run);
    write(tab.firstChild, dataset.title);
    write(tab.lastChild, STATE_LABELS[dataset.state] ?? "");
    tab.setAttribute("aria-pressed", String(run === frontRun.value));
    return tab;
  });
  // The one that has the focus keeps it.
  if (tabs.length !== row.children.length || tabs.some((tab, at) => tab !== row.children[at])) row.replaceChildren(...tabs);
}

function newTab(run) {
  const tab = element("button", "button run-tab", document.createTextNode(""), span("", "tab-state"));
  Object.assign(tab, { type: "button" }).dataset.tab = run;
  return tab;
}

function showStates() {
  for (const { run, node } of allPanels()) if (runStates.value[run]) node.dataset.state = runStates.value[run];
  showTabs();
}
