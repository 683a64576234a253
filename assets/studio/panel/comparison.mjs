// Comparing runs: the reference run that the others are aligned with, and the order of the table.
import { ID } from "../constants.mjs";
import { noUpdate, provideCallbacks, setProps } from "../page/dash.mjs";
import { byId, whenPresent } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { switches } from "../page/switches.mjs";
import { addToPanels } from "./features.mjs";
import { alignWith, allPanels, reference, referenceRun } from "./panels.mjs";
import { isOwnPlane } from "./view_options.mjs";

export function connectComparison() {
  provideCallbacks({ tableFile, noteCompared });
  whenPresent(`#${ID.panels}`, (place) => new MutationObserver(compareRuns).observe(place, { childList: true }));
  addToPanels((panel) => {
    panel.part("anchor").onclick = () => alignWith(panel.run);
    panel.node.addEventListener("panel:options", noteChanged);
  });
  onChange([switches.aligned, reference, mode], markReference);
  whenPresent("[data-place]", () => queueMicrotask(markReference));
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement} */ (target).closest?.("[data-sort]");
    if (button) sortBy(/** @type {HTMLElement} */ (button).dataset);
  });
}

/** The table that is open. @type {string | null} */
let openTab = null;

// The tables follow the runs, and so request nothing while none is open. Not as a callback of the list of runs: Dash
// would visit the whole page several times for it.
function compareRuns() {
  if (mode.value === "compare" && openTab !== null) setProps(ID.comparedRuns, { data: comparedRuns() });
}

function noteCompared(shown, tab) {
  openTab = tab;
  return shown === "compare" && tab !== null ? comparedRuns() : noUpdate();
}

const comparedRuns = () => [...byId(ID.panels).children].flatMap(({ dataset: { place } }) => place ?? []);

// The tables are about the planes that the runs found, also where a picture shows another one.
function noteChanged() {
  const changed = allPanels().filter(({ options }) => !isOwnPlane(options));
  const names = changed.map(({ node }) => node.dataset.title).join(", ");
  const note = byId(ID.changedNote);
  if (note) note.textContent = names && `${names}: the picture shows a changed plane, the tables the plane of the run.`;
}

/**
 * The address of the open table as CSV; null where there is none.
 * @param {string | null} tab
 * @param {string[] | null} compared runs
 * @param {string | null} from
 * @param {string | null} to
 * @param {string | null} ranking
 */
export function tableFile(tab, compared, from, to, ranking) {
  if (tab === "ranking") return ranking ? `runs/${ranking}/ranking.csv` : null;
  const runs = (tab === "movers" ? [from, to] : (compared ?? [])).filter(Boolean);
  if (!tab || new Set(runs).size < (tab === "table" ? 1 : 2)) return null;
  return `compare/${tab}.csv?${new URLSearchParams(runs.map((run) => ["run", String(run)]))}`;
}

function markReference() {
  const run = referenceRun();
  for (const panel of allPanels()) {
    const isReference = panel.run === run;
    panel.node.classList.toggle("is-reference", isReference);
    panel.part("anchor").setAttribute("aria-pressed", isReference);
  }
}

/** @param {DOMStringMap} dataset of a column head */
function sortBy({ sort: column, descending }) {
  setProps(ID.sort, { data: { column, descending: descending === "true" } });
}
