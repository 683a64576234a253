// A small picture of a plane of the tree.
import { DEFAULT_VIEW, viewQuery } from "../panel/view_options.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { drawSmallPlane } from "../plane/small_plane.mjs";

const MOST_KEPT = 100;

/** @type {Map<string, Promise<Plane>>} */
const kept = new Map();

/**
 * Draws the plane that a view would show.
 * @param {HTMLCanvasElement} canvas
 * @param {Panel} panel
 * @param {Partial<ViewOptions>} options
 * @param {() => boolean} isWanted whether it still is, once the plane is known
 */
export async function drawPreview(canvas, panel, options, isWanted) {
  const query = viewQuery({ ...DEFAULT_VIEW, view_angle: panel.options.view_angle, ...options }, panel.peers.reference());
  const plane = await planeAt(`runs/${panel.run}/planes/${panel.plane.sequence}?${query}`);
  if (isWanted()) drawSmallPlane(canvas, panel.figure.plane.data, plane);
}

function planeAt(address) {
  if (!kept.has(address)) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    kept.set(address, loaded(address));
  }
  return kept.get(address);
}

async function loaded(address) {
  const answer = await fetch(address);
  if (!answer.ok) {
    kept.delete(address);
    throw new Error(`${address} was answered with ${answer.status}`);
  }
  return decodedPlane(await answer.json());
}
