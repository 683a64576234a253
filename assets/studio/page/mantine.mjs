// What Mantine leaves to the page: a function that formats a slider's label, and an attribute.
import { whenPresent } from "./dom.mjs";
import { gammaAt } from "../views/gamma.mjs";

export function connectMantine() {
  window.dashMantineFunctions ??= {};
  window.dashMantineFunctions.powerOfTen = (/** @type {number} */ value) => String(gammaAt(value));
  whenPresent('div[aria-haspopup="menu"]', moveExpanded);
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
