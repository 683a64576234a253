// The views that show planes of a tree.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOfTree, morphIn, viewQuery, DEFAULT_VIEW } from "../../assets/studio/panel/view_options.mjs";
import { branchToWalk, optionsAt, shownIn } from "../../assets/studio/analyses/tree_steps.mjs";

// Two planes at gamma 2, and two at gamma 1.
const PLANES = [
  { plane: 0, gamma: 2, y: 0.9, words: "" },
  { plane: 3, gamma: 2, y: 0.5, words: "" },
  { plane: 4, gamma: 1, y: 0.8, words: "" },
  { plane: 7, gamma: 1, y: 0.55, words: "" },
];
const viewOf = (change) => ({ ...DEFAULT_VIEW, ...change });

test("a plane of the tree is shown at its own kernel width", () => {
  const there = viewOf(optionsAt("t", PLANES[2], 2, 1, PLANES[0]));
  assert.deepEqual(there.morph, ["t", 1, 4]);
  assert.equal(there.gamma, 1);
  assert.equal(optionsAt("t", PLANES[0], 2).gamma, null); // that of the run
  assert.equal(shownIn(PLANES, "t", there), 2);
  assert.equal(shownIn(PLANES, "other", there), -1);
  assert.ok(isOfTree(there));
});

test("a plane on the way to another names where the way begins", () => {
  const between = viewOf(optionsAt("t", PLANES[2], 2, 0.5, PLANES[0]));
  assert.deepEqual(between.morph, ["t", 0.5, 4, 0]);
  assert.equal(shownIn(PLANES, "t", between), -1);
  assert.ok(!isOfTree(between));
  const address = `9?${viewQuery(between, null)}`;
  assert.deepEqual(morphIn(address), { other: "t:4:0", share: 0.5 });
});

test("a restored view without a plane of a tree is that of another run", () => {
  const restored = viewOf({ morph: ["r", 1, null] });
  assert.ok(!isOfTree(restored));
  assert.equal(viewQuery(restored, null).get("morph"), "r:1");
});

test("gamma goes from width to width with the plane, in even ratios", () => {
  const half = optionsAt("t", PLANES[0], 2, 0.5, PLANES[2]);
  assert.deepEqual([half.gamma, half.morph], [1.41, ["t", 0.5, 0, 4]]);
  const end = optionsAt("t", PLANES[0], 2, 1, PLANES[2]);
  assert.deepEqual([end.gamma, end.morph], [null, ["t", 1, 0]]); // the width of the run
  assert.equal(optionsAt("t", PLANES[2], 2, 0.25).gamma, 1.68); // from the run's own
});

test("the branch of the plane on screen is walked, else the best one", () => {
  const branches = [{ planes: [0, 2] }, { planes: [3] }];
  assert.equal(branchToWalk(branches, 3), branches[1]);
  assert.equal(branchToWalk(branches, -1), branches[0]);
  assert.equal(branchToWalk([], 3), undefined);
});
