// The front run: the one that Explore and Present show, and the row of tabs to choose it from.
import { ID } from "../constants.mjs";
import { provideCallbacks, setProps } from "../page/dash.mjs";
import { whenPresent } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { allPanels, frontPanel, panelOfRun, shownPanels } from "./panels.mjs";
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
  provideCallbacks({ offerSame });
  document.addEventListener("click", ({ target }) => {
    const tab = /** @type {HTMLElement} */ (target).closest?.("[data-tab]");
    if (tab) bringToFront(/** @type {HTMLElement} */ (tab).dataset.tab);
  });
  onChange([mode, frontRun], arrange);
  onChange(runStates, showStates);
  followNewRuns();
}

/** @type {string | null} */
let due = null; // a run to bring to the front once its data are shown

/** Makes a run the front run as soon as its data are shown. @param {string} run */
export function openRun(run) {
  if (panelOfRun(run)) bringToFront(run);
  else due = run;
}

// Shows the run that equals the one that was to start.
function offerSame(same) {
  if (!same) return;
  const act = () => setProps(ID.runAgain, { data: Date.now() });
  showNotice(`This run is here already: ${same.title}.`, { action: { label: "Run it again", act } });
  openRun(same.run);
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
  for (const { run, node } of panels) {
    const isFront = run === frontRun.value;
    node.classList.toggle("is-front", isFront);
    tabOf(run)?.setAttribute("aria-pressed", isFront);
  }
  showInPlaceOf(inFront);
  for (const panel of shownPanels().filter(isOutdated)) panel.restyle().catch(console.warn);
  arranged = stage.value;
}

// A panel that comes to the front begins with the picture that stands there.
function showInPlaceOf(former) {
  inFront = frontPanel() ?? null;
  if (former && inFront && inFront !== former && mode.value !== "compare") inFront.painting.takeOver(former.painting);
}

/** @returns {any} */
const tabOf = (run) => document.querySelector(`[data-tab="${run}"]`);

function showStates() {
  for (const { run, node } of allPanels()) {
    if (runStates.value[run]) node.dataset.state = runStates.value[run];
  }
  for (const [run, name] of Object.entries(runStates.value)) {
    const tab = tabOf(run);
    if (!tab || tab.dataset.state === name) continue;
    tab.dataset.state = name;
    tab.querySelector(".tab-state").textContent = STATE_LABELS[name] ?? "";
  }
}

// A run that has just been started comes to the front; when the page loads, the newest does.
function followNewRuns() {
  let isLoaded = false;
  let isDue = false;
  // Panels, and tabs beside them, which Dash has rendered anew.
  whenPresent("[data-place]", () => {
    if (isDue) return;
    isDue = true;
    allPanels(); // are put into their places
    // Once for all panels that were rendered together.
    queueMicrotask(() => {
      isLoaded = true;
      isDue = false;
      if (due && panelOfRun(due)) bringToFront(due);
      due = null;
      arrange();
    });
  });
  whenPresent("[data-run]", (node) => {
    if (isLoaded || frontRun.value === null) bringToFront(node.dataset.run);
  });
}
