// The button that shares a talk. What it needs is loaded when it is first pressed, or at once where a
// talk of this browser goes on.
import { NO_SERVER, showNotice } from "../page/notice.mjs";

export const TALK_GOES_ON = "melm-talk"; // in the browser's storage, while there is a talk: when it expires, in seconds

export function connectShareButton() {
  document.addEventListener("click", ({ target }) => {
    if (/** @type {Element} */ (target).closest?.('[data-bar="share"]')) {
      openDialog().catch(() => showNotice(NO_SERVER));
    }
  });
  if (localStorage.getItem(TALK_GOES_ON)) resume().catch(console.warn);
}

async function openDialog() {
  const { openTalkDialog } = await import("./talk.mjs");
  await openTalkDialog();
}

/** Shows the code of the talk on the whole screen. */
export async function showTalkCode() {
  try {
    const { showCode } = await import("./talk.mjs");
    await showCode();
  } catch {
    showNotice(NO_SERVER);
  }
}

async function resume() {
  const { resumeTalk } = await import("./talk.mjs");
  await resumeTalk();
}
