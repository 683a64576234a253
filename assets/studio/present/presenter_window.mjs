// What the presenter's window asks of the page: what the room sees, the story around it, and what is on and off.
import { byId, colorScheme } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { currentStory, stepStory } from "../workspace/story.mjs";
import { shownViews } from "../workspace/story_order.mjs";
import { addressOf, talkNow, viewersIn } from "./talk.mjs";

/** What the room sees, and whether it sees anything; `picture` is another one whenever the picture is. */
export function shownNow() {
  const panel = frontPanel();
  const talk = talkNow.value;
  const isMoving = panel?.node.querySelector(".is-moving");
  return {
    ...shownViews(currentStory.value),
    scheme: colorScheme(),
    isPresenting: mode.value === "present",
    heading: byId("title")?.textContent ?? "",
    isBlank: document.body.hasAttribute("data-blank"),
    hasCode: byId("talk-screen").open,
    talk: talk && `${viewersIn(talk)}, ${addressOf(talk)}`,
    picture: panel?.plane ? `${panel.run} ${isMoving ? performance.now() : panel.painting.paintedAt}` : null,
  };
}

/** The canvases that the picture consists of, the lowest first. */
export function layers() {
  const { node, painting } = frontPanel();
  const below = /** @type {NodeListOf<HTMLCanvasElement>} */ (node.querySelectorAll("canvas.row-layer"));
  return [...below, painting.animation.canvas];
}

/** Goes some views on. @param {number} steps */
export const step = (steps) => stepStory(steps);

/** Presses a key as if it were pressed here, so that a key does one thing. @param {string} key */
export function press(key) {
  const target = document.querySelector("dialog:modal") ?? document.body;
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}
