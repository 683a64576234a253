// Small screens show one section at a time: the data, the picture or the numbers.
import { byId, onClick, whenPresent } from "./dom.mjs";

const FIRST = "picture";

export function connectSections() {
  showSection(FIRST);
  whenPresent("[data-section]", () => showSection(document.body.dataset.shows));
  onClick("#run, #run-several", () => showSection(FIRST));
  onClick("[data-section]", ({ dataset: { section } }) => showSection(section));
  document.addEventListener("click", ({ target }) => {
    const element = /** @type {Element} */ (target);
    if (!element.closest?.(".toolbar")) toggle(element.closest?.("[data-toggles]"));
  });
}

/** Shows a section on small screens. @param {string} section */
export function showSection(section) {
  document.body.dataset.shows = section;
  for (const tab of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-section]"))) {
    tab.setAttribute("aria-pressed", String(tab.dataset.section === section));
  }
}

// What small screens fold away behind a button; a click elsewhere closes it, one among tools does not.
function toggle(button) {
  for (const other of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-toggles]"))) {
    const isOpen = other === button && other.getAttribute("aria-expanded") !== "true";
    other.setAttribute("aria-expanded", String(isOpen));
    byId(other.dataset.toggles)?.classList.toggle("is-open", isOpen);
  }
}
