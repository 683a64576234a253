// The page of the presenter's window: notes on the view on screen, the next view, and the time.
import { byId } from "../page/dom.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { drawSmallPlane } from "../plane/small_plane.mjs";
import { channelName, elapsedLabel, positionLabel } from "../workspace/story_order.mjs";
import { nextPicture } from "./next_picture.mjs";

const STEPS = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1, " ": 1 };
const TICK_MS = 250;
const NO_NOTES = "No notes on this view. Write some in Story, below its caption.";
const NO_STORY = "There is no story yet. Add views to one, or open one from Samples.";
const AT_END = "This is the last view.";

const channel = new BroadcastChannel(channelName(location.hash.slice(1)));
const canvas = /** @type {HTMLCanvasElement} */ (byId("next-picture"));
let began = null; // when the first view was shown
let drawn = ""; // the view whose picture was requested last

channel.onmessage = ({ data }) => show(data);
channel.postMessage({});
document.addEventListener("keydown", (event) => {
  const isButton = event.key === " " && /** @type {Element} */ (event.target).closest("button");
  if (!(event.key in STEPS) || isButton || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  step(STEPS[event.key]);
});
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
byId("restart").onclick = () => restart();
setInterval(() => setText("elapsed", elapsedLabel(began === null ? 0 : Date.now() - began)), TICK_MS);

const step = (steps) => channel.postMessage({ step: steps });

function restart() {
  began = Date.now();
}

function show({ at, count, current, next, scheme }) {
  document.documentElement.dataset.scheme = scheme;
  if (at >= 0 && began === null) restart();
  setText("position", positionLabel({ views: Array.from({ length: count }), at }));
  setText("title", current?.title ?? "");
  setText("caption", current?.caption ?? (count ? "" : NO_STORY));
  setText("notes", current ? current.notes || NO_NOTES : "");
  byId("notes").classList.toggle("is-empty", !current?.notes);
  setText("next-title", next?.title ?? (count ? AT_END : ""));
  setText("next-caption", next?.caption ?? "");
  drawNext(next?.view ?? null, scheme).catch(console.warn);
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

function setText(id, text) {
  byId(id).textContent = text;
}
