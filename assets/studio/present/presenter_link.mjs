// Opens the presenter's window. What it shows is sent to it by a module that is loaded with it.
import { NO_SERVER, showNotice } from "../page/notice.mjs";

const SIZE = "popup,width=1180,height=760";
const NO_WINDOW = "The browser blocked the presenter’s window. Allow pop-ups for this page, then press Notes again.";

// The key of this tab, by which its window knows it. The tab's storage has it only while the page is loaded again: a
// browser copies that storage into a duplicate of the tab, which must get a key of its own.
let own = "";
const KEPT = "presenter";

export function connectPresenter() {
  const kept = takeKey();
  if (kept) connect(kept); // the page was loaded again
}

/** Opens the window with the notes and the next view, or brings it to the front. */
export function openPresenter() {
  if (!own) connect(newKey());
  const opened = window.open(`presenter#${own}`, `presenter-${own}`, SIZE);
  if (opened) opened.focus();
  else showNotice(NO_WINDOW);
}

/** @param {string} key */
function connect(key) {
  own = key;
  keepKey(key);
  serve(key).catch(() => showNotice(NO_SERVER));
}

async function serve(key) {
  const { serveWindow } = await import("./presenter_window.mjs");
  serveWindow(key);
}

/** The key that this tab had before its page was loaded again; null where it had none. */
export function takeKey() {
  const key = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return key;
}

export const newKey = () => crypto.getRandomValues(new Uint32Array(2)).join("-");

/** Keeps a key for when the page is loaded again. @param {string} key */
export function keepKey(key) {
  window.addEventListener("pagehide", () => sessionStorage.setItem(KEPT, key));
  window.addEventListener("pageshow", takeKey); // the same page, which the browser had put aside
}
