// Arrows: where they are, what loading they stand for, and where their names are written.
import assert from "node:assert/strict";
import { test } from "node:test";

import { placeLabel } from "../../assets/studio/panel/label_placement.mjs";
import { rounded, wrapped } from "../../assets/studio/plane_editing/angles.mjs";
import { limitArrows, loadingOf, nearest, originOf, tipsOf } from "../../assets/studio/plane_editing/arrows.mjs";

const kinds = ["contour", "arrow_heads", "arrow_lines"];
const figure = { plane: { data: kinds.map((kind) => ({ meta: { kind } })) } };
const plane = {
  traces: [
    { x: [9], y: [9] },
    { x: [2, 5], y: [1, 4] },
    { x: [1, 2, null, 1, 5, null], y: [1, 1, null, 2, 4, null] },
  ],
};

test("origins and tips are found by the kind of the trace", () => {
  assert.deepEqual(originOf(figure, plane, 1), [1, 2]);
  assert.deepEqual(tipsOf(figure, plane), [[2, 1], [5, 4]]);
});

test("a loading is what lies between origin and tip, in units of the arrows", () => {
  assert.deepEqual(loadingOf([5, 4], [1, 2], 4), [1, 0.5]);
});

test("beyond the limit neither lines nor heads are left", () => {
  const lines = { meta: { kind: "arrow_lines" }, ...plane.traces[2] };
  const heads = { meta: { kind: "arrow_heads" }, ...plane.traces[1] };
  const points = { meta: { kind: "train", class: 0 }, x: [1, 2, 3], y: [1, 2, 3] };
  for (const trace of [lines, heads, points]) limitArrows(trace, 1);
  assert.deepEqual([lines.x.length, heads.x.length, points.x.length], [3, 1, 3]);
});

test("without a limit all arrows are left", () => {
  const heads = { meta: { kind: "arrow_heads" }, ...plane.traces[1] };
  limitArrows(heads, Infinity);
  assert.equal(heads.x.length, 2);
});

test("the nearest tip is taken, if it is within reach", () => {
  const tips = [[0, 0], [10, 0]];
  assert.equal(nearest(tips, [7, 0], 18), 1);
  assert.equal(nearest(tips, [40, 0], 18), null);
  assert.equal(nearest([], [0, 0], 18), null);
});

test("a name with room on its side stays", () => {
  assert.equal(placeLabel("top right", 50, { left: 10, right: 60 }), "top right");
});

test("a name that would be cut goes to the other side, above an arrow that is level", () => {
  assert.equal(placeLabel("bottom right", 50, { left: 300, right: 20 }), "bottom left");
  assert.equal(placeLabel("middle left", 50, { left: 20, right: 300 }), "top right");
});

test("a name stays where neither side has more room", () => {
  assert.equal(placeLabel("top right", 500, { left: 10, right: 60 }), "top right");
});

test("angles are brought within half a turn of zero", () => {
  assert.equal(rounded(wrapped(Math.PI + 0.5)), rounded(0.5 - Math.PI));
  assert.equal(rounded(wrapped(-7 * Math.PI - 0.25)), rounded(Math.PI - 0.25));
  assert.equal(wrapped(0), 0);
});
