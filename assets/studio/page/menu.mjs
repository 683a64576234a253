// Menus and popovers: opened by their button; in menus, the arrow keys move between the items.
import { byId, onClick, whenPresent } from "./dom.mjs";

const DOWN = { ArrowDown: 1, ArrowUp: -1 };
/** The keys of what stands in a row. */
export const ACROSS = { ArrowRight: 1, ArrowLeft: -1 };
const ENDS = { Home: 0, End: -1 };

/**
 * Connects the buttons of menus (`data-menu`) and of notes or controls (`data-opens`), which have that id or else follow
 * their button, and those that close the dialog with an id (`data-closes`). Styles place what is opened beside its button.
 */
export function connectMenus() {
  onClick("[data-closes]", ({ dataset: { closes } }) => byId(closes).close());
  whenPresent("[data-menu], [data-opens]", (button) => {
    const { menu, opens } = button.dataset;
    const popover = byId(menu ?? opens) ?? button.nextElementSibling;
    popover.popover = "auto"; // the browser closes it on Escape and on a click elsewhere
    /** @type {HTMLButtonElement} */ (button).popoverTargetElement = popover;
    if (menu !== undefined) connectMenu(button, popover);
  });
}

/**
 * Makes what a button opens a menu, whose items are the elements of role "menuitem".
 * @param {HTMLElement} button
 * @param {HTMLElement} menu
 */
function connectMenu(button, menu) {
  button.setAttribute("aria-haspopup", "menu");
  if (menu.dataset.connected) return; // by another button
  menu.dataset.connected = "true";
  menu.tabIndex = -1;
  menu.addEventListener("toggle", ({ newState }) => newState === "open" && focusFirst(menu));
  // Items that arrive while the menu is open.
  new MutationObserver(() => isOpen(menu) && focusFirst(menu)).observe(menu, { childList: true });
  menu.addEventListener("keydown", (event) => moveFocus(event, menu));
  menu.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest('[role="menuitem"]')) menu.hidePopover();
  });
}

const isOpen = (popover) => popover.matches(":popover-open");

/** @returns {HTMLElement[]} */
const itemsOf = (menu) => [...menu.querySelectorAll('[role="menuitem"]')];

function focusFirst(menu) {
  const items = itemsOf(menu);
  for (const [at, item] of items.entries()) item.tabIndex = at === 0 ? 0 : -1; // a long menu scrolls by keys
  if (!items.includes(/** @type {HTMLElement} */ (document.activeElement))) (items[0] ?? menu).focus();
}

function moveFocus(event, menu) {
  if (event.key === "Tab") {
    menu.hidePopover();
    event.stopPropagation();
  } else moveAmong(event, itemsOf(menu), { ...DOWN, ...ACROSS });
}

/**
 * Moves the focus between items by the arrow keys, Home and End.
 * @param {KeyboardEvent} event
 * @param {HTMLElement[]} items
 * @param {Record<string, number>} steps by key
 */
export function moveAmong(event, items, steps = DOWN) {
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (event.key in steps) items.at((at + steps[event.key]) % items.length)?.focus();
  else if (event.key in ENDS) items.at(ENDS[event.key])?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
