// The inspector beside the picture: which of its tabs is shown, the same for every run. What is selected or placed
// opens its own.
import { onClick, whenPresent } from "../page/dom.mjs";
import { ACROSS, moveAmong } from "../page/menu.mjs";
import { onChange, signal } from "../page/signals.mjs";
import { placedFile, selectedRows } from "../rows/singled_out.mjs";

/** The tab that is shown, by its name. */
export const inspected = signal("features");

/** Shows the tab of one of its parts. @param {Element} part */
export const inspect = (part) => inspected.set(/** @type {HTMLElement} */ (part.closest("[data-inspected]")).dataset.inspected);

const tabs = () => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-inspects]"));

export function connectInspector() {
  onClick("[data-inspects]", ({ dataset: { inspects } }) => inspected.set(inspects));
  onChange(inspected, show);
  onChange(selectedRows, (rows) => rows && inspected.set("rows"));
  onChange(placedFile, (file) => file && inspected.set("new"));
  whenPresent("[data-inspects]", mark);
  document.addEventListener("keydown", (event) => {
    const list = /** @type {Element} */ (event.target).closest?.(".inspector-tabs");
    if (list) moveAmong(event, /** @type {HTMLElement[]} */ ([...list.children]), ACROSS);
  });
  show();
}

function show() {
  document.body.dataset.inspector = inspected.value;
  tabs().forEach(mark);
}

// The Tab key stops at the tab that is shown, the arrow keys lead to the others.
function mark(tab) {
  const isShown = tab.dataset.inspects === inspected.value;
  tab.setAttribute("aria-selected", String(isShown));
  tab.tabIndex = isShown ? 0 : -1;
}
