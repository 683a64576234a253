// Menus and popovers: opened by their button, menus with the arrow keys moving between the items.

const GAP_PX = 4;
const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const ENDS = { Home: 0, End: -1 };

/**
 * Makes a button open a panel of controls beside it.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} popover
 */
export function connectPopover(button, popover) {
  popover.popover = "auto"; // the browser closes it on Escape and on a click elsewhere
  button.setAttribute("aria-expanded", "false");
  button.popoverTargetElement = popover;
  popover.addEventListener("beforetoggle", ({ newState }) => newState === "open" && placeBy(button, popover));
  popover.addEventListener("toggle", ({ newState }) => {
    button.setAttribute("aria-expanded", String(newState === "open"));
  });
}

/**
 * Makes a button open a menu, whose items are the elements of role "menuitem".
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} menu
 */
export function connectMenu(button, menu) {
  connectPopover(button, menu);
  button.setAttribute("aria-haspopup", "menu");
  const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll('[role="menuitem"]')]);
  for (const item of items) item.tabIndex = -1;
  menu.addEventListener("toggle", ({ newState }) => newState === "open" && items[0].focus());
  menu.addEventListener("keydown", (event) => moveFocus(event, items, menu));
  menu.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest('[role="menuitem"]')) menu.hidePopover();
  });
}

// Right-aligned with its button, on the side where there is more room.
function placeBy(button, menu) {
  const { top, bottom, right } = button.getBoundingClientRect();
  const isBelow = bottom < innerHeight / 2;
  Object.assign(menu.style, {
    right: `${document.documentElement.clientWidth - right}px`,
    top: isBelow ? `${bottom + GAP_PX}px` : "auto",
    bottom: isBelow ? "auto" : `${innerHeight - top + GAP_PX}px`,
  });
}

function moveFocus(event, items, menu) {
  const at = items.indexOf(document.activeElement);
  if (event.key in STEPS) items.at((at + STEPS[event.key]) % items.length).focus();
  else if (event.key in ENDS) items.at(ENDS[event.key]).focus();
  else if (event.key === "Tab") menu.hidePopover();
  else return;
  if (event.key !== "Tab") event.preventDefault();
  event.stopPropagation();
}
