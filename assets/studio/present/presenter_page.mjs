// The page of the presenter's window: what the room sees and what it sees next, notes, the time, and what is on.
import { byId, write } from "../page/dom.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { drawSmallPlane } from "../plane/small_plane.mjs";
import { channelName, elapsedLabel, positionLabel } from "../workspace/story_order.mjs";
import { nextPicture } from "./next_picture.mjs";

const STEPS = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1, " ": 1 };
// Keys of Present that work here too, as if they were pressed there.
const KEYS = ["b", ".", "q", "v", "m", ..."123456789"];
const TICK_MS = 250;
const NO_NOTES = "No notes on this view. Write some in Story, below its caption.";
const NO_STORY = "There is no story yet. Add views to one, or open one from Samples.";
const AT_END = "This is the last view.";
const NOT_PRESENTING = "The page shows more than the room should see: press Present there.";

const channel = new BroadcastChannel(channelName(location.hash.slice(1)));
const [room, canvas] = /** @type {HTMLCanvasElement[]} */ ([byId("room"), byId("next-picture")]);
let began = null; // when the first view was shown
let drawn = ""; // the view whose picture was requested last

channel.onmessage = ({ data }) => (data.picture ? showRoom(data.picture) : show(data));
channel.postMessage({});
addEventListener("pagehide", () => channel.postMessage({ isClosed: true }));
addEventListener("pageshow", () => channel.postMessage({}));
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
setInterval(tick, TICK_MS);
tick();

const step = (steps) => channel.postMessage({ step: steps });
const restart = () => (began = Date.now());
const press = (key) => channel.postMessage({ key });

function tick() {
  write(byId("elapsed"), elapsedLabel(began === null ? 0 : Date.now() - began));
  write(byId("time"), new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }));
}

/** The picture of the room, as it is there. @param {ImageBitmap} picture */
function showRoom(picture) {
  room.hidden = false;
  Object.assign(room, { width: picture.width, height: picture.height });
  room.getContext("bitmaprenderer").transferFromImageBitmap(picture);
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
  write(byId("shared"), talk ? `Shared: ${talk.viewers} ${talk.viewers === 1 ? "viewer" : "viewers"}, ${talk.address}` : "Not shared");
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
  if (plane && wanted === drawn) paint(plane);
}

const picture = (view, scheme) =>
  fetch(`presenter/picture?scheme=${scheme}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(view),
  });

function paint(/** @type {any} */ plane) {
  canvas.hidden = false;
  drawSmallPlane(canvas, plane.styles, decodedPlane(plane));
}
