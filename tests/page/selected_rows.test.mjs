import assert from "node:assert/strict";
import { test } from "node:test";

const { waysOf } = await import("../../assets/studio/rows/selected_rows.mjs");

const styles = ["contour", "train", "train", "held_out"].map((kind) => ({ meta: { kind } }));
const figure = /** @type {any} */ ({ data: styles, layout: { font: { color: "black" } } });
const traces = (shift) => [[9], [0, 1], [2], []].map((values) => ({ x: values.map((value) => value + shift), y: values }));
const view = (selected) => ({ plane: /** @type {any} */ ({ traces: traces(10) }), figure, selected });

test("each selected row has a line from where it was fitted to where it is drawn", () => {
  const { x, y } = waysOf(view([[1], [0], []]), { traces: traces(0) });
  assert.deepEqual(x, [1, 11, NaN, 2, 12, NaN]);
  assert.deepEqual(y, [1, 1, NaN, 2, 2, NaN]);
});

test("there are no lines before the fitted places are here, without a selection, and of more than a hundred rows", () => {
  const many = Array.from({ length: 101 }, () => 0);
  for (const [selected, fitted] of [[[[1], [], []], null], [[[], [], []], { traces: traces(0) }], [[many, [], []], { traces: traces(0) }]]) {
    assert.deepEqual(waysOf(view(selected), /** @type {any} */ (fitted)).x, []);
  }
});
