// The front run: the one that Explore and Present show, and the row of tabs to choose it from.
import { ID } from "../constants.mjs";
import { provideCallbacks, setProps } from "../page/dash.mjs";
import { whenPresent } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange, state, update } from "../state.mjs";
import { allPanels, panelOfRun, shownPanels } from "./panels.mjs";

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
    const chosen = /** @type {HTMLElement} */ (target).closest?.("[data-tab]");
    if (chosen) bringToFront(/** @type {HTMLElement} */ (chosen).dataset.tab);
  });
  onChange("mode", () => arrange());
  onChange("states", showStates);
  followNewRuns();
}

/** @type {string | null} */
let due = null; // a run to bring to the front once its data are shown

/** Makes a run the front run as soon as its data are shown. @param {string} run */
export function openRun(run) {
  if (panelOfRun(run)) bringToFront(run);
  else due = run;
}

/** Makes a run the front run. @param {string} run */
export function bringToFront(run) {
  update({ front: run }, "mode");
}

// Shows the run that equals the one that was to start.
function offerSame(same) {
  if (!same) return;
  const act = () => setProps(ID.runAgain, { data: Date.now() });
  showNotice(`This run is here already: ${same.title}.`, { action: { label: "Run it again", act } });
  openRun(same.run);
}

/** The front run when the panels were last arranged. @type {string | null} */
let arranged = null;

// Among the same panels, Compare paints only those that others have made outdated.
const isOutdated = (panel) => panel.painting.isStale() || (state.mode !== "compare" && state.front !== arranged);

/** Shows the front run; where it was removed, the newest. @param {(panel: import("./panel.mjs").Panel) => unknown} [isPainted] */
function arrange(isPainted = () => true) {
  const panels = allPanels();
  if (!panels.some(({ run }) => run === state.front)) update({ front: panels.at(-1)?.run ?? null });
  for (const { run, node } of panels) {
    const isFront = run === state.front;
    node.classList.toggle("is-front", isFront);
    tabOf(run)?.setAttribute("aria-pressed", isFront);
  }
  for (const panel of shownPanels().filter(isPainted)) panel.restyle().catch(console.warn);
  arranged = state.front;
}

/** @returns {any} */
const tabOf = (run) => document.querySelector(`[data-tab="${run}"]`);

function showStates() {
  for (const { run, node } of allPanels()) {
    if (state.states[run]) node.dataset.state = state.states[run];
  }
  for (const [run, name] of Object.entries(state.states)) {
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
      if (due && panelOfRun(due)) update({ front: due });
      due = null;
      arrange(isOutdated);
    });
  });
  whenPresent("[data-run]", (node) => {
    if (isLoaded || state.front === null) update({ front: node.dataset.run });
  });
}
