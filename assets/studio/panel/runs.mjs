// What the page knows of the runs beside their panels: the state of each, and which of them is in front.
import { mode } from "../page/mode.mjs";
import { computed, signal } from "../page/signals.mjs";

/** The state of every run of the visitor, by run. */
export const runStates = signal(/** @type {Record<string, string>} */ ({}));

/** The run that Explore and Present show. */
export const frontRun = signal(/** @type {string | null} */ (null));

/** The runs whose pictures Compare leaves out. */
export const hiddenRuns = signal(/** @type {Set<string>} */ (new Set()));

/** Leaves the picture of a run out of Compare, or takes it in. @param {string} run @param {boolean} isShown */
export function showInCompare(run, isShown) {
  const hidden = new Set(hiddenRuns.value);
  if (isShown) hidden.delete(run);
  else hidden.add(run);
  hiddenRuns.set(hidden);
}

/** Changes with what is on the stage: the panels of all runs in Compare, in other modes the one in front. */
export const stage = computed([mode, frontRun], (at, run) => (at === "compare" ? at : `${at} ${run}`));

/** The runs that there were when the page was opened. @type {Set<string> | null} */
let earlier = null;
/** @type {Set<string>} */
const started = new Set();

/** @param {Record<string, string>} states of all runs */
export function noteStates(states) {
  earlier ??= new Set(Object.keys(states));
  if (JSON.stringify(states) !== JSON.stringify(runStates.value)) runStates.set(states);
}

/** Whether a run was started since the page was opened. @param {string} run */
export const isNewRun = (run) => started.has(run) || (earlier !== null && !earlier.has(run));

/** Notes a run of this page, perhaps before the first news. @param {string} run */
export const noteStarted = (run) => started.add(run);

/** Takes the runs that the next news brings for earlier ones. */
export const forgetEarlier = () => (earlier = null);

/** Makes a run the front run; null where there is none. @param {string | null} run */
export const bringToFront = (run) => frontRun.set(run);
