// The presenter's window: what it shows is sent to it, and its keys step through the story.
import { colorScheme, onColorScheme } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { currentStory, stepStory } from "../workspace/story.mjs";
import { channelName, shownViews } from "../workspace/story_order.mjs";

const SIZE = "popup,width=980,height=680";
const NO_WINDOW = "The browser blocked the presenter’s window. Allow pop-ups for this page, then press Notes again.";

// The key of this tab, by which its window knows it. The tab's storage has it only while the page is loaded again: a
// browser copies that storage into a duplicate of the tab, which must get a key of its own.
let own = "";
const KEPT = "presenter";

/** @type {BroadcastChannel | null} */
let channel = null;

export function connectPresenter() {
  const kept = takeKey();
  if (kept) connect(kept); // the page was loaded again
  onChange(currentStory, send);
  onColorScheme(send);
}

/** Opens the window with the notes and the next view, or brings it to the front. */
export function openPresenter() {
  if (!channel) connect(newKey());
  const opened = window.open(`presenter#${own}`, `presenter-${own}`, SIZE);
  if (opened) opened.focus();
  else showNotice(NO_WINDOW);
}

/** @param {string} key */
function connect(key) {
  own = key;
  keepKey(key);
  channel = new BroadcastChannel(channelName(key));
  channel.onmessage = ({ data }) => receive(data);
}

/** @param {{ step?: number }} message an empty one asks what is shown */
function receive({ step }) {
  if (step) stepStory(step);
  else send();
}

function send() {
  channel?.postMessage({ ...shownViews(currentStory.value), scheme: colorScheme() });
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
