// Comparing runs: the reference run that the others are aligned with, and the order of the table.
import { ID } from "../constants.mjs";
import { provideCallbacks, setProps } from "../page/dash.mjs";
import { byId, whenPresent } from "../page/dom.mjs";
import { onChange, update } from "../state.mjs";
import { addToPanels } from "./features.mjs";
import { allPanels, referenceRun } from "./panels.mjs";
import { isOwnPlane } from "./view_options.mjs";

export function connectComparison() {
  provideCallbacks({ tableFile });
  addToPanels((panel) => {
    panel.part("anchor").onclick = () => update({ reference: panel.run }, "aligned");
    panel.node.addEventListener("panel:look", noteChanged);
  });
  for (const event of ["aligned", "view", "mode"]) onChange(event, markReference);
  whenPresent("[data-place]", () => queueMicrotask(markReference));
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement} */ (target).closest?.("[data-sort]");
    if (button) sortBy(/** @type {HTMLElement} */ (button).dataset);
  });
}

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
  const reference = referenceRun();
  for (const panel of allPanels()) {
    const isReference = panel.run === reference;
    panel.node.classList.toggle("is-reference", isReference);
    panel.part("anchor").setAttribute("aria-pressed", isReference);
  }
}

/** @param {DOMStringMap} dataset of a column head */
function sortBy({ sort: column, descending }) {
  setProps(ID.sort, { data: { column, descending: descending === "true" } });
}
