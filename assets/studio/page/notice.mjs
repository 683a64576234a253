// The note at the foot of the picture: messages about links, views and stories.
import { ID } from "../constants.mjs";
import { setProps } from "./dash.mjs";
import { byId } from "./dom.mjs";

const BRIEFLY_MS = 8000;

/** What the Undo of the note does, if it has one. @type {(() => void) | null} */
let undoLast = null;

export const NO_PLANE = "There is no plane on screen yet.";
export const NO_SERVER = "The server does not answer. Check that the studio is running, and try again.";

/**
 * Shows a message until it is closed, or for a few seconds; null clears the note.
 * @param {string | null} message
 * @param {{ briefly?: boolean, undo?: (() => void) | null }} [options]
 */
export function showNotice(message, { briefly = false, undo = null } = {}) {
  setProps(ID.notice, { children: message });
  undoLast = undo;
  /** @type {HTMLElement} */
  const button = document.querySelector(".notice-undo");
  if (button) button.hidden = !undo;
  const note = byId(ID.notice);
  if (briefly) setTimeout(() => note.textContent === message && showNotice(null), BRIEFLY_MS);
}

export function connectNotice() {
  document.addEventListener("click", ({ target }) => {
    const button = /** @type {Element} */ (target).closest?.(".notice-close, .notice-undo");
    if (!button) return;
    const undo = button.matches(".notice-undo") ? undoLast : null;
    showNotice(null);
    undo?.();
  });
}
