// The sheet of the table, below its name in the header, and what small screens fold away behind a button.
import { byId, isNarrow, onClick, whenPresent } from "./dom.mjs";

const OPENS = "[data-sheet]";
// A click there is one beside the sheet; menus and dialogs that it opens lie elsewhere in the document.
const BESIDE = ".top, .method-line, .stage";

export function connectSheet() {
  onClick(OPENS, () => showSheet(!isOpen()));
  document.addEventListener("click", ({ target }) => {
    const element = /** @type {Element} */ (target);
    if (element.closest?.(BESIDE) && !element.closest(OPENS)) showSheet(false);
    if (!element.closest?.("[data-menu]")) toggle(element.closest?.("[data-toggles]"));
    closeSettings(element);
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && leave());
  whenPresent(OPENS, (button) => button.setAttribute("aria-expanded", String(isOpen())));
  whenPresent(".table-question[data-open]", () => showSheet(true)); // no run begins before it is answered
}

const isOpen = () => document.body.hasAttribute("data-sheet-open");

/** Opens or closes the sheet. @param {boolean} isShown */
export function showSheet(isShown) {
  if (isShown === isOpen()) return;
  document.body.toggleAttribute("data-sheet-open", isShown);
  if (isShown) byId("table-sheet").focus(); // the next Tab is in it
  for (const button of document.querySelectorAll(OPENS)) button.setAttribute("aria-expanded", String(isShown));
}

/** On a small screen, which it covers, the sheet closes once a table has been chosen. */
export const endChoice = () => isNarrow() && showSheet(false);

// By the keyboard; a list or a menu that is open over it is closed first, by itself.
function leave() {
  if (document.querySelector(":popover-open, dialog[open]")) return;
  closeSettings(document.body);
  if (!isOpen() || byId("table-sheet").querySelector(":focus[aria-expanded=true]")) return;
  showSheet(false);
  byId("data-name").focus();
}

/** @param {Element} target of a click */
function closeSettings(target) {
  const settings = /** @type {HTMLDetailsElement} */ (document.querySelector(".more[open]"));
  if (settings && !settings.contains(target) && (target === document.body || target.closest(BESIDE))) settings.open = false;
}

// What small screens fold away behind a button; a click closes it, unless it opens a menu that is part of it.
function toggle(button) {
  for (const other of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-toggles]"))) {
    const isShown = other === button && other.getAttribute("aria-expanded") !== "true";
    other.setAttribute("aria-expanded", String(isShown));
    byId(other.dataset.toggles)?.classList.toggle("is-open", isShown);
  }
}
