import assert from "node:assert/strict";
import test from "node:test";
import { drawnPoints, drawnRows } from "../../assets/studio/rows/row_layer.mjs";

const trace = (kind, code) => ({ meta: { kind, class: code } });
const FIGURE = {
  plane: { data: [trace("contour", 0), trace("train", 0), trace("train", 1), trace("held_out", 0), trace("held_out", 1)] },
  rows: [[], [7, 2], [5], [1], []],
};
const none = { x: [], y: [] };
const PLANE = { traces: [none, { x: [70, 20], y: [-70, -20] }, { x: [50], y: [-50] }, { x: [10], y: [-10] }, none] };

test("rows are in the order of the file, with their class and whether they are held out", () => {
  const { numbers, classes, heldOut } = drawnRows(FIGURE);
  assert.deepEqual([...numbers], [1, 2, 5, 7]);
  assert.deepEqual([...classes], [0, 0, 1, 0]);
  assert.deepEqual([...heldOut], [1, 0, 0, 0]);
});

test("a plane has the same rows in the same order", () => {
  const { x, y } = drawnPoints(FIGURE, PLANE);
  assert.deepEqual([...x], [10, 20, 50, 70]);
  assert.deepEqual([...y], [-10, -20, -50, -70]);
});
