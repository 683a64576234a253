// The presenter's window: what it shows is sent to it, and its keys step through the story.
import { colorScheme, onColorScheme } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange, state } from "../state.mjs";
import { stepStory } from "../views/story.mjs";
import { channelName, shownViews } from "./presenter_views.mjs";

const KEPT = "presenter"; // under this name, the tab keeps which window is its own
const SIZE = "popup,width=980,height=680";
const NO_WINDOW = "The browser blocked the presenter’s window. Allow pop-ups for this page, then press Notes again.";

/** @type {BroadcastChannel | null} */
let channel = null;

export function connectPresenter() {
  if (sessionStorage.getItem(KEPT)) connect(); // the page was loaded again
  onChange("story", send);
  onColorScheme(send);
}

/** Opens the window with the notes and the next view, or brings it to the front. */
export function openPresenter() {
  const key = connect();
  const opened = window.open(`presenter#${key}`, `presenter-${key}`, SIZE);
  if (opened) opened.focus();
  else showNotice(NO_WINDOW);
}

// The key of this tab: other tabs of the same browser have windows of their own.
function connect() {
  const key = sessionStorage.getItem(KEPT) ?? newKey();
  sessionStorage.setItem(KEPT, key);
  if (!channel) {
    channel = new BroadcastChannel(channelName(key));
    channel.onmessage = ({ data }) => receive(data);
  }
  return key;
}

const newKey = () => crypto.getRandomValues(new Uint32Array(2)).join("-");

/** @param {{ step?: number }} message an empty one asks what is shown */
function receive({ step }) {
  if (step) stepStory(step);
  else send();
}

function send() {
  channel?.postMessage({ ...shownViews(state.story), scheme: colorScheme() });
}
