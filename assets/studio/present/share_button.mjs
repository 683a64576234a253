// The button that shares a talk. What it needs is loaded when it is first pressed, or at once where a
// talk of this browser goes on.
import { onClick } from "../page/dom.mjs";
import { NO_SERVER, showNotice, whenLoaded } from "../page/notice.mjs";

export const TALK_GOES_ON = "melm-talk"; // in the browser's storage, while there is a talk: when it expires, in seconds

export function connectShareButton() {
  onClick('[data-bar="share"]', () => withTalk((talk) => talk.openTalkDialog()));
  if (localStorage.getItem(TALK_GOES_ON)) import("./talk.mjs").then((talk) => talk.resumeTalk()).catch(console.warn);
}

/** Shows the code of the talk on the whole screen. */
export const showTalkCode = () => withTalk((talk) => talk.showCode());

/** @param {(talk: typeof import("./talk.mjs")) => Promise<void>} act */
const withTalk = async (act) => {
  const talk = await whenLoaded(import("./talk.mjs"));
  if (talk) await act(talk).catch(() => showNotice(NO_SERVER));
};
