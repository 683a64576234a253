import assert from "node:assert/strict";
import { test } from "node:test";
import { planeOf } from "../../assets/studio/present/replay/page.mjs";

const mark = (step, y) => ({ step, y });
const MARKS = [mark(0, 0.9), mark(1, 0.8), mark(1, 0.85), mark(2, 0.6), mark(2, 0.7)];
const BRANCHES = [[0, 1, 3], [4]];

test("another kernel width shows the plane of the same branch, though another is higher", () => {
  assert.equal(planeOf(MARKS, BRANCHES, 0, 1), 1);
  assert.equal(planeOf(MARKS, BRANCHES, 1, 2), 3);
});

test("where the branch has no plane of a kernel width, the highest one is shown", () => {
  assert.equal(planeOf(MARKS, BRANCHES, 4, 1), 2);
});

test("where each step has one plane, that one is shown", () => {
  const run = [0, 1, 2].map((step) => ({ step }));
  assert.equal(planeOf(run, [], 0, 2), 2);
});
