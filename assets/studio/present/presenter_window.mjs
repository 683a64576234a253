// What the presenter's window is sent: the picture that the room sees, the story around it, and what is on and off.
import { byId, colorScheme } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { currentStory, stepStory } from "../workspace/story.mjs";
import { channelName, shownViews } from "../workspace/story_order.mjs";
import { addressOf, talkNow } from "./talk.mjs";

const LOOK_EVERY_MS = 200;
const MOST_PX = 800; // of the picture's width

/**
 * What the window asks for: a step through the story, or a key of Present; with neither, all that is shown.
 * @typedef {{ step?: number, key?: string, isClosed?: boolean }} Wish
 */

let timer = 0;
let sent = ""; // all but the picture

/** @type {BroadcastChannel} */
let channel;

/** Answers the window of this tab for as long as it is open. @param {string} key */
export function serveWindow(key) {
  channel = new BroadcastChannel(channelName(key));
  channel.onmessage = ({ data }) => receive(data);
  begin(); // it may be open already, before the page was loaded again
}

/** @param {Wish} wish */
function receive({ step, key, isClosed }) {
  if (step) return stepStory(step);
  if (key) return press(key);
  return isClosed ? clearInterval(timer) : begin();
}

function begin() {
  clearInterval(timer);
  sent = "";
  timer = setInterval(look, LOOK_EVERY_MS);
  look();
}

// As if it were pressed here, so that a key does one thing.
function press(key) {
  const target = document.querySelector("dialog:modal") ?? document.body;
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  look();
}

function look() {
  const panel = frontPanel();
  const now = { ...shownViews(currentStory.value), ...stateNow() };
  const key = JSON.stringify([now, panel?.run, panel?.painting.paintedAt]);
  if (key === sent && !isMoving(panel)) return;
  sent = key;
  channel.postMessage(now);
  if (panel?.plane) sendPicture(panel).catch(console.warn);
}

/** What the room sees besides the picture, and whether it sees anything. */
function stateNow() {
  const talk = talkNow.value;
  return {
    scheme: colorScheme(),
    isPresenting: mode.value === "present",
    heading: byId("title")?.textContent ?? "",
    isBlank: document.body.hasAttribute("data-blank"),
    hasCode: byId("talk-screen").open,
    talk: talk && { viewers: talk.viewers, address: addressOf(talk) },
  };
}

const isMoving = (panel) => Boolean(panel?.node.querySelector(".is-moving"));

/** @param {Panel} panel */
async function sendPicture({ node, painting: { animation } }) {
  const below = /** @type {NodeListOf<HTMLCanvasElement>} */ (node.querySelectorAll("canvas.row-layer"));
  const layers = [...below, animation.canvas];
  const { width, height } = animation.canvas;
  if (!width || !height) return;
  const across = Math.min(width, MOST_PX);
  const up = Math.round((across * height) / width);
  const copy = new OffscreenCanvas(across, up);
  const pen = Object.assign(copy.getContext("2d"), { imageSmoothingQuality: "high" });
  for (const layer of layers) if (layer.width) pen.drawImage(layer, 0, 0, across, up);
  channel.postMessage({ picture: await createImageBitmap(copy) });
}
