// Opens the presenter's window, which asks this page for what it shows.
import { showNotice } from "../page/notice.mjs";

const SIZE = "popup,width=1180,height=760";
const NO_WINDOW = "The browser blocked the presenter’s window. Allow pop-ups for this page, then press Notes again.";

/** @type {Window | null} */
let opened = null;

/** Lets the window ask, also after either page was loaded again. */
export function connectPresenter() {
  window.presented = (asking) => {
    opened = asking;
    return import("./presenter_window.mjs");
  };
}

/** Opens the window with the notes and the next view, or brings it to the front. */
export function openPresenter() {
  if (!opened || opened.closed) opened = window.open("presenter", "_blank", SIZE);
  if (opened) opened.focus();
  else showNotice(NO_WINDOW);
}
