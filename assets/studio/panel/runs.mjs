// What the page knows of the runs beside their panels: the state of each, the revision of their list, and
// which of them is in front.
import { mode } from "../page/mode.mjs";
import { computed, signal } from "../page/signals.mjs";

/** The state of every run of the visitor, by run. */
export const runStates = signal(/** @type {Record<string, string>} */ ({}));

/** The revision of the list of runs that the page shows. */
export const revision = signal(/** @type {string | null} */ (null));

/** The run that Explore and Present show. */
export const frontRun = signal(/** @type {string | null} */ (null));

/** Changes with what is on the stage: the panels of all runs in Compare, in other modes the one in front. */
export const stage = computed([mode, frontRun], (at, run) => (at === "compare" ? at : `${at} ${run}`));

/** The runs that there were when the page was opened. @type {Set<string> | null} */
let earlier = null;

/** @param {Record<string, string>} states of all runs */
export function noteStates(states) {
  earlier ??= new Set(Object.keys(states));
  runStates.set(states);
}

/** Whether a run was started since the page was opened. @param {string} run */
export const isNewRun = (run) => earlier !== null && !earlier.has(run);

/** Takes the runs that the next news brings for earlier ones. */
export const forgetEarlier = () => (earlier = null);

/** @param {string} listed */
export const noteRevision = (listed) => revision.set(listed);

/** Makes a run the front run; null where there is none. @param {string | null} run */
export const bringToFront = (run) => frontRun.set(run);
