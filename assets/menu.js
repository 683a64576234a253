// Menus: opened by their button, walked through by the arrow keys.
(() => {
  "use strict";

  const GAP_PX = 4;

  const STEPS = { ArrowDown: 1, ArrowUp: -1 };
  const ENDS = { Home: 0, End: -1 };

  function connectMenu(button, menu) {
    menu.popover = "auto"; // the browser closes it by Escape and by a click elsewhere
    button.setAttribute("aria-haspopup", "menu");
    button.setAttribute("aria-expanded", "false");
    button.popoverTargetElement = menu;
    const items = [...menu.querySelectorAll('[role="menuitem"]')];
    for (const item of items) item.tabIndex = -1;
    menu.addEventListener("beforetoggle", ({ newState }) => newState === "open" && placeBy(button, menu));
    menu.addEventListener("toggle", ({ newState }) => {
      const isOpen = newState === "open";
      button.setAttribute("aria-expanded", isOpen);
      if (isOpen) items[0].focus();
    });
    menu.addEventListener("keydown", (event) => walk(event, items, menu));
    menu.addEventListener("click", ({ target }) => target.closest('[role="menuitem"]') && menu.hidePopover());
  }

  // Ends where the button ends, on the side of it where there is more room.
  function placeBy(button, menu) {
    const { top, bottom, right } = button.getBoundingClientRect();
    const isBelow = bottom < innerHeight / 2;
    Object.assign(menu.style, {
      right: `${document.documentElement.clientWidth - right}px`,
      top: isBelow ? `${bottom + GAP_PX}px` : "auto",
      bottom: isBelow ? "auto" : `${innerHeight - top + GAP_PX}px`,
    });
  }

  function walk(event, items, menu) {
    const at = items.indexOf(document.activeElement);
    if (event.key in STEPS) items.at((at + STEPS[event.key]) % items.length).focus();
    else if (event.key in ENDS) items.at(ENDS[event.key]).focus();
    else if (event.key === "Tab") menu.hidePopover();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  }

  Object.assign(window.studio, { connectMenu });
})();
