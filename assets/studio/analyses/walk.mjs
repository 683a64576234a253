// A walk along a branch of the tree of planes: the picture glides from plane to plane as γ rises.
import { ask } from "../page/answers.mjs";
import { byId, lessMotion, wait } from "../page/dom.mjs";
import { onChange } from "../page/signals.mjs";
import { speed } from "../panel/history.mjs";
import { stage } from "../panel/runs.mjs";
import { eased } from "../plane/clock.mjs";
import { currentStory, showTitle } from "../workspace/story.mjs";
import { branchToWalk, optionsAt, shownIn } from "./tree_steps.mjs";

const STEP_MS = 50;
const GLIDE_MS = 1500;
const REST_MS = 1200; // long enough to read a caption

/** Which walk is on; 0 for none. */
let walking = 0;

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
export async function walkAlong(panel, tree, { letter, planes }, onPlane = () => null) {
  if (!panel.plane) return;
  panel.history.player.pause();
  const number = (walking = performance.now());
  window.addEventListener("keydown", stopAtKey, { capture: true });
  window.addEventListener("pointerdown", stop, { capture: true });
  const isOn = () => walking === number && !panel.isDisposed;
  for (const at of planes.toReversed()) {
    const target = tree.planes[at];
    await goTo(panel, tree, target, isOn);
    if (!isOn()) break;
    byId("caption").textContent = `${letter}: ${target.words}`;
    onPlane(at);
    await wait(REST_MS / speed.value);
    if (!isOn()) break;
  }
  if (walking === number) stop();
}

/**
 * Goes from the plane on screen to one of the tree by the clock: a slow machine shows fewer planes and not a slower
 * motion.
 * @param {Panel} panel
 * @param {Tree} tree
 * @param {TreePlane} target
 * @param {() => boolean} isOn whether it is still wanted
 */
export async function goTo(panel, tree, target, isOn) {
  const origin = tree.planes[shownIn(tree.planes, tree.run, panel.options)];
  const began = performance.now();
  const lasts = lessMotion.matches || origin === target ? 0 : GLIDE_MS / speed.value;
  for (let share = 0; share < 1 && isOn(); ) {
    const step = performance.now();
    share = Math.min(1, (step + STEP_MS - began) / lasts);
    await panel.changeView(optionsAt(tree.run, target, panel.gamma, eased(share), origin));
    await wait(step + STEP_MS - performance.now());
  }
}

// The presenter's window steps through a story without a key or a click here.
onChange([currentStory, stage], () => walking && stop());

function stop() {
  walking = 0;
  window.removeEventListener("keydown", stopAtKey, { capture: true });
  window.removeEventListener("pointerdown", stop, { capture: true });
  showTitle();
}

/** @param {KeyboardEvent} event */
function stopAtKey(event) {
  stop();
  event.preventDefault();
  event.stopImmediatePropagation();
}
