// A small picture of a plane of the tree.
import { ask, remembering } from "../page/answers.mjs";
import { DEFAULT_VIEW, viewQuery } from "../panel/view_options.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { drawSmallPlane } from "../plane/canvas.mjs";

const MOST_KEPT = 100;

const planeAt = remembering(MOST_KEPT, async (address) => decodedPlane(await ask(address)));

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
