// The note at the foot of the picture: messages about links, views and stories.
import { setProps } from "./dash.mjs";
import { byId, onClick } from "./dom.mjs";

const BRIEFLY_MS = 8000;

/** @typedef {{ label: string, act: () => void }} Action */

/** The action of the note, if it has one. @type {Action | null} */
let offered = null;

export const NO_PLANE = "There is no plane on screen yet.";
export const NO_SERVER = "The server does not answer. Check that the studio is running, and try again.";

/**
 * Shows a message until it is closed, or for a few seconds; null clears the note.
 * @param {string | null} message
 * @param {{ briefly?: boolean, action?: Action | null }} [options]
 */
export function showNotice(message, { briefly = false, action = null } = {}) {
  setProps("notice", { children: message });
  offered = action;
  /** @type {HTMLElement} */
  const button = document.querySelector(".notice-action");
  if (button) Object.assign(button, { hidden: !action, textContent: action?.label ?? "" });
  if (briefly) setTimeout(() => byId("notice")?.textContent === message && showNotice(null), BRIEFLY_MS);
}

/**
 * A module that is loaded when it is first needed; null where it cannot be, which the page then says.
 * @template Module
 * @param {Promise<Module>} loading an `import()`
 * @returns {Promise<Module | null>}
 */
export const whenLoaded = (loading) =>
  loading.catch(() => {
    showNotice(NO_SERVER);
    return null;
  });

export function connectNotice() {
  onClick(".notice-close, .notice-action", (button) => {
    const action = button.matches(".notice-action") ? offered : null;
    showNotice(null);
    action?.act();
  });
}
