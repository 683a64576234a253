// The page of the presenter's window: what the room sees and what it sees next, notes, the time, and what is on.
import { byId, write } from "../page/dom.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { drawSmallPlane } from "../plane/canvas.mjs";
import { elapsedLabel, positionLabel } from "../workspace/story_order.mjs";
import { nextPicture } from "./next_picture.mjs";

const STEPS = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1, " ": 1 };
// Keys of Present that work here too, as if they were pressed there.
const KEYS = ["b", ".", "q", "v", "m", ..."123456789"];
const LOOK_EVERY_MS = 200;
const MOST_PX = 800; // of the width of the picture
const NO_NOTES = "No notes on this view. Write some in Story, below its caption.";
const NO_STORY = "There is no story yet. Add views to one, or open one from Samples.";
const AT_END = "This is the last view.";
const NOT_PRESENTING = "The page shows more than the room should see: press Present there.";

const [room, canvas] = /** @type {HTMLCanvasElement[]} */ ([byId("room"), byId("next-picture")]);
let began = null; // when the first view was shown
let painted = ""; // the picture of the room
let drawn = ""; // the view whose picture was requested last

/**
 * What the page of the room tells and takes; undefined while it is not there.
 * @returns {Promise<typeof import("./presenter_window.mjs") | undefined>}
 */
const page = async () => window.opener?.presented?.(window);

document.addEventListener("keydown", (event) => {
  const isButton = event.key === " " && /** @type {Element} */ (event.target).closest("button");
  if (isButton || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in STEPS) step(STEPS[event.key]);
  else if (KEYS.includes(event.key)) press(event.key);
  else return;
  event.preventDefault();
});
byId("blank").onclick = () => press("b");
byId("code").onclick = () => press("q");
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
byId("restart").onclick = () => restart();
setInterval(look, LOOK_EVERY_MS);
look();

const step = async (steps) => (await page())?.step(steps);
const restart = () => (began = Date.now());
const press = async (key) => (await page())?.press(key);

async function look() {
  write(byId("elapsed"), elapsedLabel(began === null ? 0 : Date.now() - began));
  write(byId("time"), new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }));
  const now = await page().catch(() => undefined);
  if (!now) return;
  const shown = now.shownNow();
  show(shown);
  if (shown.picture && shown.picture !== painted) paintRoom(now.layers());
  painted = shown.picture;
}

/** Paints the picture of the room, as it is there. @param {HTMLCanvasElement[]} layers */
function paintRoom(layers) {
  const { width, height } = layers.at(-1);
  if (!width || !height) return;
  const across = Math.min(width, MOST_PX);
  Object.assign(room, { hidden: false, width: across, height: Math.round((across * height) / width) });
  const pen = Object.assign(room.getContext("2d"), { imageSmoothingQuality: "high" });
  for (const layer of layers) if (layer.width) pen.drawImage(layer, 0, 0, room.width, room.height);
}

function show({ at, count, current, next, scheme, heading, isPresenting, isBlank, hasCode, talk }) {
  document.documentElement.dataset.scheme = scheme;
  if (at >= 0 && began === null) restart();
  write(byId("position"), positionLabel({ views: Array.from({ length: count }), at }));
  write(byId("title"), current?.title ?? heading);
  write(byId("caption"), current?.caption ?? (count ? "" : NO_STORY));
  write(byId("notes"), current ? current.notes || NO_NOTES : "");
  byId("notes").classList.toggle("is-empty", !current?.notes);
  write(byId("next-title"), next?.title ?? (count ? AT_END : ""));
  write(byId("next-caption"), next?.caption ?? "");
  byId("blank").setAttribute("aria-pressed", String(isBlank));
  byId("code").setAttribute("aria-pressed", String(hasCode));
  write(byId("shared"), talk ? `Shared: ${talk}` : "Not shared");
  write(byId("room-state"), stateOf({ isPresenting, isBlank, hasCode }));
  byId("room-state").hidden = !byId("room-state").textContent;
  drawNext(next?.view ?? null, scheme).catch(console.warn);
}

/** What hides the picture from the room, if anything does. */
function stateOf({ isPresenting, isBlank, hasCode }) {
  if (!isPresenting) return NOT_PRESENTING;
  if (hasCode) return "The room sees the code of the talk. Press Q to go on.";
  return isBlank ? "The room sees a black screen. Press B to go on." : "";
}

async function drawNext(view, scheme) {
  const wanted = JSON.stringify([view, scheme]);
  if (wanted === drawn) return;
  drawn = wanted;
  canvas.hidden = true;
  if (!view) return;
  const answer = await nextPicture(() => picture(view, scheme), () => wanted === drawn);
  const plane = await answer?.json();
  if (!plane || wanted !== drawn) return;
  canvas.hidden = false;
  drawSmallPlane(canvas, plane.styles, decodedPlane(plane));
}

const picture = (view, scheme) =>
  fetch(`presenter/picture?scheme=${scheme}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(view),
  });
