// The views of planes of a tree or of resamples, and small pictures of them.
import { ask, remembering } from "../page/answers.mjs";
import { DEFAULT_VIEW, viewQuery } from "../panel/view_options.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { drawSmallPlane } from "../plane/canvas.mjs";

/**
 * The plane of the tree that a view shows; -1 where it shows another one.
 * @param {TreePlane[]} planes
 * @param {string} tree the run of the tree
 * @param {ViewOptions} options
 */
export function shownIn(planes, tree, { morph }) {
  if (!morph || morph[0] !== tree || morph[1] !== 1) return -1;
  return planes.findIndex(({ plane }) => plane === morph[2]);
}

/**
 * The options that show another plane of a run, or a plane on the way to it.
 * @param {string} run
 * @param {number} share of the way
 * @param {number} target
 * @param {number} [origin] else the run's own plane
 * @returns {Partial<ViewOptions>}
 */
export function otherPlane(run, share, target, origin) {
  const planes = share === 1 || origin === undefined ? [target] : [target, origin];
  return { n_top_features: null, edits: [], morph: /** @type {any} */ ([run, Number(share.toFixed(4)), ...planes]) };
}

/**
 * The options that show a plane of the tree, or one on the way to it, with kernels of a width in between.
 * @param {string} tree
 * @param {TreePlane} target
 * @param {number} ownGamma kernel width of the run
 * @param {number} [share] of the way
 * @param {TreePlane} [origin] of the tree; else the run's own plane
 * @returns {Partial<ViewOptions>}
 */
export function optionsAt(tree, target, ownGamma, share = 1, origin = undefined) {
  const from = origin?.gamma ?? ownGamma;
  const gamma = share === 1 ? target.gamma : Number((from * (target.gamma / from) ** share).toPrecision(3));
  return { gamma: gamma === ownGamma ? null : gamma, ...otherPlane(tree, share, target.plane, origin?.plane) };
}

/**
 * The branch that is walked: that of the plane on screen, else the first.
 * @template {{ planes: number[] }} Branch
 * @param {Branch[]} branches
 * @param {number} shown the plane of the tree on screen; -1 for none
 * @returns {Branch | undefined}
 */
export const branchToWalk = (branches, shown) => branches.find(({ planes }) => planes.includes(shown)) ?? branches[0];

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
