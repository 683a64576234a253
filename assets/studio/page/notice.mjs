// The note at the foot of the picture: messages about links, views and stories.
import { ID } from "../constants.mjs";
import { setProps } from "./dash.mjs";
import { byId } from "./dom.mjs";

const BRIEFLY_MS = 8000;

export const NO_PLANE = "There is no plane on screen yet.";
export const NO_SERVER = "The server does not answer. Check that the studio is running, and try again.";

/**
 * Shows a message until it is closed, or for a few seconds; null clears the note.
 * @param {string | null} message
 * @param {{ briefly?: boolean }} [options]
 */
export function showNotice(message, { briefly = false } = {}) {
  setProps(ID.notice, { children: message });
  const note = byId(ID.notice);
  if (briefly) setTimeout(() => note.textContent === message && showNotice(null), BRIEFLY_MS);
}

export function connectNotice() {
  document.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest?.(".notice-close")) showNotice(null);
  });
}
