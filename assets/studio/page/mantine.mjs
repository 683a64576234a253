// What Mantine leaves to the page: attributes.
import { whenPresent } from "./dom.mjs";

export function connectMantine() {
  whenPresent('div[aria-haspopup="menu"]', moveExpanded);
  // The page has one banner; the head of a dialog is none.
  whenPresent(".mantine-Modal-header, .mantine-Drawer-header", (head) => head.setAttribute("role", "presentation"));
}

// Mantine sets `aria-expanded` on the wrapper of a menu's button, where screen readers ignore it.
function moveExpanded(wrapper) {
  const move = () => {
    const button = wrapper.querySelector("button");
    if (!button || !wrapper.hasAttribute("aria-expanded")) return;
    button.setAttribute("aria-haspopup", "menu");
    button.setAttribute("aria-expanded", wrapper.getAttribute("aria-expanded"));
    wrapper.removeAttribute("aria-expanded");
  };
  new MutationObserver(move).observe(wrapper, { attributeFilter: ["aria-expanded"], childList: true });
  move();
}
