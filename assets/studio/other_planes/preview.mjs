// A small picture of a plane of the tree: its points and contours.
import { PLANE_TRACE } from "../constants.mjs";
import { decodedPlane } from "../drawing/arrays.mjs";
import { clearedPen, drawTrace } from "../drawing/canvas.mjs";
import { scale, withEqualUnits } from "../drawing/scales.mjs";
import { DEFAULT_VIEW, viewQuery } from "../panel/view_options.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */
/** @typedef {import("../types").Plane} Plane */

/** @type {string[]} */
const SHOWN = [PLANE_TRACE.contour, PLANE_TRACE.train, PLANE_TRACE.heldOut];
const MARK_PX = 3;
const MOST_KEPT = 100;

/** @type {Map<string, Promise<Plane>>} */
const kept = new Map();

/**
 * Draws the plane that a view would show.
 * @param {HTMLCanvasElement} canvas
 * @param {Panel} panel
 * @param {Partial<import("../types").ViewOptions>} options
 * @param {() => boolean} isWanted whether it still is, once the plane is known
 */
export async function drawPreview(canvas, panel, options, isWanted) {
  const query = viewQuery({ ...DEFAULT_VIEW, from: panel.options.from, ...options }, panel.peers.reference());
  const plane = await planeAt(`runs/${panel.run}/planes/${panel.plane.sequence}?${query}`);
  if (isWanted()) paint(canvas, panel, plane);
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

/** @param {HTMLCanvasElement} canvas @param {Panel} panel @param {Plane} plane */
function paint(canvas, { figure }, { traces, limits }) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = clearedPen(canvas, [width, height]);
  const [x, y] = withEqualUnits(limits, [width, height]);
  const across = scale(x, 0, width);
  const up = scale(y, height, -height);
  for (const [i, style] of figure.plane.data.entries()) {
    if (!SHOWN.includes(style.meta.kind)) continue;
    const trace = { ...style, ...traces[i] };
    if (style.marker) trace.marker = { ...style.marker, size: MARK_PX };
    drawTrace(pen, trace, Array.from(trace.x, across), Array.from(trace.y, up));
  }
}
