import assert from "node:assert/strict";
import { test } from "node:test";
import { planeOf } from "../../assets/studio/present/replay/sections.mjs";

const mark = (x, y) => ({ x, y, words: "" });
const tree = { marks: [mark(1, 0.9), mark(2, 0.8), mark(2, 0.85), mark(4, 0.6), mark(4, 0.7)], branches: [[0, 1, 3], [4]] };

test("another kernel width shows the plane of the same branch, though another is higher", () => {
  assert.equal(planeOf(tree, 0, 2), 1);
  assert.equal(planeOf(tree, 1, 4), 3);
});

test("where the branch has no plane of a kernel width, the highest one is shown", () => {
  assert.equal(planeOf(tree, 4, 2), 2);
});
