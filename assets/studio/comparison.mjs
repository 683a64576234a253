// Comparing runs: the reference run that the others are aligned with, and the order of the table.
import { ID } from "./constants.mjs";
import { setProps } from "./page/dash.mjs";
import { whenPresent } from "./page/dom.mjs";
import { addToPanels } from "./panel/features.mjs";
import { allPanels, referenceRun } from "./panel/panels.mjs";
import { onChange, update } from "./state.mjs";

export function connectComparison() {
  addToPanels((panel) => {
    panel.part("anchor").onclick = () => update({ reference: panel.run }, "aligned");
  });
  for (const event of ["aligned", "view", "mode"]) onChange(event, markReference);
  whenPresent("[data-run]", () => queueMicrotask(markReference));
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement} */ (target).closest?.("[data-sort]");
    if (button) sortBy(/** @type {HTMLElement} */ (button).dataset);
  });
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
