// The list of runs of the data that the page shows. The server keeps it; the page asks for it whenever its revision or
// the data have changed.
import { ask } from "../page/answers.mjs";
import { provideCallbacks } from "../page/dash.mjs";
import { onChange, signal } from "../page/signals.mjs";

/** @typedef {{ revision: string | null, panels: DescribedPanel[], data: any }} RunList */

/** The list that the page shows: what its panels are made from, in their order, and the data that they are of. */
export const runList = signal(/** @type {RunList} */ ({ revision: null, panels: [], data: null }));

/** The data that the page shows, as the server takes them. */
export const shownData = signal(/** @type {any} */ (null));

/** Whether a table is on its way to the page, which is sent, read and prepared: what is to be done with it waits. */
export const isArriving = signal(false);

/** Notes that a table is on its way, or is no more. @param {boolean} isOnItsWay */
export const noteArriving = (isOnItsWay) => isArriving.set(isOnItsWay);

let nAsked = 0;
let shownNumber = 0; // of the answer that is shown
let nUnderWay = 0;

export function connectRunList() {
  provideCallbacks({ setData: (data) => shownData.set(data) });
  onChange(shownData, (data) => data && listRuns());
}

/** Lists the runs anew. */
export const listRuns = () => takeList(shownData.value, ask("panels", shownData.value)).catch(console.warn);

/**
 * Lists the runs anew if the list is not this one, or of other data, as after a request that failed.
 * @param {string | undefined} newest its revision
 */
export function followRevision(newest) {
  const { revision, data } = runList.value;
  const isShown = newest === revision && data === shownData.value;
  if (newest && !isShown && shownData.value && !nUnderWay) listRuns();
}

/**
 * Shows the list in an answer, where there is one.
 * @param {object} of data
 * @param {Promise<any>} asked
 */
export async function takeList(of, asked) {
  const number = (nAsked += 1);
  nUnderWay += 1;
  const answer = await asked.finally(() => (nUnderWay -= 1));
  if (!answer.panels) return answer;
  if (number > shownNumber && (of === shownData.value || !shownData.value)) {
    shownNumber = number;
    runList.set({ revision: answer.revision, panels: answer.panels, data: of });
  } else if (answer.revision !== runList.value.revision) {
    listRuns(); // it was overtaken, perhaps by one that knew less
  }
  return answer;
}
