// The presenter's window: what it shows is sent to it, and its keys step through the story.
import { colorScheme, onColorScheme } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange, state } from "../state.mjs";
import { stepStory } from "../views/story.mjs";
import { keepKey, newKey, takeKey } from "./presenter_key.mjs";
import { channelName, shownViews } from "./presenter_views.mjs";

const SIZE = "popup,width=980,height=680";
const NO_WINDOW = "The browser blocked the presenter’s window. Allow pop-ups for this page, then press Notes again.";

let key = ""; // of this tab: other tabs of the same browser have windows of their own
/** @type {BroadcastChannel | null} */
let channel = null;

export function connectPresenter() {
  const kept = takeKey();
  if (kept) connect(kept); // the page was loaded again
  onChange("story", send);
  onColorScheme(send);
}

/** Opens the window with the notes and the next view, or brings it to the front. */
export function openPresenter() {
  if (!channel) connect(newKey());
  const opened = window.open(`presenter#${key}`, `presenter-${key}`, SIZE);
  if (opened) opened.focus();
  else showNotice(NO_WINDOW);
}

/** @param {string} own */
function connect(own) {
  key = own;
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
  channel?.postMessage({ ...shownViews(state.story), scheme: colorScheme() });
}
