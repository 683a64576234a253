// Shared views: links made of what is on screen, and views that the server has restored.
import { FINAL_STATES, MODES } from "../constants.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { noUpdate, provideCallbacks, setProps } from "../page/dash.mjs";
import { copied, wait } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { NO_PLANE, showNotice } from "../page/notice.mjs";
import { signal } from "../page/signals.mjs";
import { hiddenSwitches, showOnly, shownLayers } from "../page/switches.mjs";
import { panelOfRun } from "../panel/panels.mjs";
import { listRuns } from "../panel/run_list.mjs";
import { bringToFront, runStates } from "../panel/runs.mjs";
import { stayAtLink } from "../panel/tab_history.mjs";
import { addressOf, DEFAULT_VIEW } from "../panel/view_options.mjs";
import { colorColumn, markBy, shapeColumn } from "../rows/marks.mjs";
import { placedFile, placeFile } from "../rows/singled_out.mjs";

const CHECK_EVERY_MS = 50;
const TREE_CHECK_EVERY_MS = 1000;

/** The run of the view that was restored last, a new object each time. */
export const restoredRun = signal(/** @type {{ run: string } | null} */ (null));

let newest = 0; // the number of the last view that was restored

export function connectSharedViews() {
  const asked = modeIn(location.search);
  // What a link in Present hides is hidden before anything else is there.
  if (asked) document.body.dataset.mode = asked;
  provideCallbacks({ readAddress: () => [location.search, asked ?? noUpdate()], bringUp: showRestored });
}

/** The mode that an address asks for, if it is one. @param {string} query */
export function modeIn(query) {
  const asked = new URLSearchParams(query).get("mode");
  return MODES.includes(asked) ? asked : null;
}

/**
 * What is on screen as a shared view: for a story, and as the query of an address.
 * @param {Panel} panel
 * @returns {Promise<{ view: object, title: string, query: string, words: string }>} words why there is no query
 */
export async function sharedView(panel) {
  const { key, name, scaled } = placedFile.value ?? {};
  const shown = {
    mode: mode.value,
    hidden: hiddenSwitches().join(),
    layers: shownLayers().join(),
    color_by: colorColumn.value,
    shape_by: shapeColumn.value,
    new_rows: key,
    new_rows_name: name,
    new_rows_scaled: scaled && JSON.stringify(scaled),
  };
  return ask(addressOf(panel, "shared-view", { toward: null, ...shown }));
}

/** Puts a link to what is on screen into the address bar and the clipboard. @param {Panel | undefined} panel */
export async function copyLink(panel) {
  if (!panel?.plane) return showNotice(NO_PLANE);
  const { query, words } = await sharedView(panel).catch((error) => ({ query: "", words: sentenceOf(error) }));
  if (!query) return showNotice(words);
  history.replaceState(history.state, "", `?${query}`);
  stayAtLink();
  if (await copied(location.href)) return showNotice("Link copied. It is also in the address bar.", { briefly: true });
  return showNotice("The link is in the address bar. Copy it from there.");
}

// What the server could find of a view: the data to choose first, or the run that shows it.
function showRestored(restored) {
  if (restored?.choice) setTimeout(() => setProps("choice", { data: restored.choice }));
  else if (restored) showRun(restored).catch(console.warn);
}

// Shows the run of a view with its options, once it has ended; then reports whether the result is
// the same as when the view was shared.
async function showRun(/** @type {RestoredView} */ restored) {
  const number = ++newest;
  const isOutdated = () => number !== newest;
  setProps("mode", { value: restored.mode });
  showOnly(restored.hidden, restored.layers);
  if (!panelOfRun(restored.run)) listRuns();
  await until(() => isOutdated() || panelOfRun(restored.run));
  if (isOutdated()) return;
  const panel = panelOfRun(restored.run);
  // Of a run that has ended, it is the first that is seen; what a morph needs may take a while.
  const isSoon = !restored.options.morph && FINAL_STATES.includes(runStates.value[panel.run]);
  if (isSoon && !panel.plane) panel.setOptions({ ...DEFAULT_VIEW, ...restored.options });
  bringToFront(restored.run);
  restoredRun.set({ run: restored.run });
  await until(() => isOutdated() || hasEnded(restored));
  if (restored.other) await otherPlanesKnown(restored, isOutdated);
  if (isOutdated() || panel.sequence < 0) return;
  await panel.showAs(sequenceOf(panel, restored), restored.options);
  // Colors and symbols by columns, and new rows where they differ from those that are shown.
  const { colorBy, shapeBy, newRows } = restored.marks;
  markBy(colorBy, shapeBy);
  if (newRows?.key !== placedFile.value?.key) placeFile(newRows);
  stayAtLink();
  await reportReproduction(panel, restored);
}

// Its own run, and the run that it morphs to.
function hasEnded({ run, options, other }) {
  const needsOther = options.morph && !other;
  const isOtherFinal = !needsOther || FINAL_STATES.includes(runStates.value[options.morph[0]]);
  return panelOfRun(run)?.isFinal && isOtherFinal;
}

// The tree or the resamples of the run, of which the view shows a plane.
async function otherPlanesKnown({ run, other }, isOutdated) {
  for (let asked = 0; !isOutdated(); asked += 1) {
    const found = await ask(`runs/${run}/analyses/${other}`).catch(() => null);
    if (found?.is_final !== false) return;
    if (asked === 0) showNotice("This view shows another plane of the run, which is computed first.", { briefly: true });
    await wait(TREE_CHECK_EVERY_MS);
  }
}

const sequenceOf = ({ sequence }, { plane }) => Math.min(plane ?? sequence, sequence);

async function reportReproduction(panel, restored) {
  const { divergence, caution, quiet } = restored;
  if (panel.node.dataset.state !== "done") return showNotice(panel.part("words").textContent);
  if (divergence === null) return caution && showNotice(caution);
  const { is_same: isSame, words } = await ask(addressOf(panel, "reproduction", { toward: null, divergence }));
  const message = [words, caution].filter(Boolean).join(" ");
  if (!isSame || !quiet) showNotice(message, { briefly: isSame && !caution });
  return null;
}

async function until(condition) {
  while (!condition()) await wait(CHECK_EVERY_MS);
}
