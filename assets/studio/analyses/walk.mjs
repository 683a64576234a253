// A walk along a branch of the tree of planes: the picture glides from plane to plane as γ rises.
import { ask } from "../page/answers.mjs";
import { byId, lessMotion } from "../page/dom.mjs";
import { onChange } from "../page/signals.mjs";
import { speed } from "../panel/history.mjs";
import { stage } from "../panel/runs.mjs";
import { eased, Player } from "../plane/clock.mjs";
import { currentStory, showTitle } from "../workspace/story.mjs";
import { branchToWalk, optionsAt, shownIn } from "./tree_steps.mjs";

const STEP_MS = 50;
const GLIDE_MS = 1500;
const REST_MS = 1200; // long enough to read a caption

const walk = new Player((isOn) => {
  const change = isOn ? "addEventListener" : "removeEventListener";
  window[change]("keydown", stopAtKey, { capture: true });
  window[change]("pointerdown", stop, { capture: true });
  if (!isOn) showTitle();
});
const stop = () => walk.pause();

const NO_BRANCH_YET = "A walk follows a branch of the tree. Press W again once one is found.";

/**
 * Walks along the branch of the plane on screen, else the best one; says why where there is none.
 * @param {Panel} panel
 * @returns {Promise<string>} empty on a walk
 */
export async function walkTree(panel) {
  /** @type {Tree} */
  const tree = await ask(`runs/${panel.run}/analyses/tree`);
  const branch = tree.run && branchToWalk(tree.branches, shownIn(tree.planes, tree.run, panel.options));
  if (!branch) return tree.is_final ? tree.words : NO_BRANCH_YET;
  walkAlong(panel, tree, branch).catch(console.warn);
  return "";
}

/**
 * Walks along a branch, until its end, any key, a click, or a change of what is shown.
 * @param {Panel} panel
 * @param {Tree} tree
 * @param {Tree["branches"][number]} branch its planes from wide kernels to narrow ones
 * @param {(at: number) => void} [onPlane] called with every plane that is reached
 */
export async function walkAlong(panel, tree, branch, onPlane = () => null) {
  if (!panel.plane) return;
  panel.history.player.pause();
  await walk.play(steps(panel, tree, branch, onPlane));
}

async function* steps(panel, tree, { letter, planes }, onPlane) {
  for (const at of planes.toReversed()) {
    yield* wayTo(panel, tree, tree.planes[at]);
    if (panel.isDisposed) return;
    byId("caption").textContent = `${letter}: ${tree.planes[at].words}`;
    onPlane(at);
    yield REST_MS / speed.value;
  }
}

/**
 * The way from the plane on screen to one of the tree, by the clock: a slow machine shows fewer planes and not a slower
 * motion.
 * @param {Panel} panel
 * @param {Tree} tree
 * @param {TreePlane} target
 */
export async function* wayTo(panel, tree, target) {
  const origin = tree.planes[shownIn(tree.planes, tree.run, panel.options)];
  const began = performance.now();
  const lasts = lessMotion.matches || origin === target ? 0 : GLIDE_MS / speed.value;
  for (let share = 0; share < 1 && !panel.isDisposed; ) {
    share = Math.min(1, (performance.now() + STEP_MS - began) / lasts);
    await panel.changeView(optionsAt(tree.run, target, panel.gamma, eased(share), origin));
    yield STEP_MS;
  }
}

// The presenter's window steps through a story without a key or a click here.
onChange([currentStory, stage], stop);

/** @param {Event} event */
function stopAtKey(event) {
  stop();
  event.preventDefault();
  event.stopImmediatePropagation();
}
