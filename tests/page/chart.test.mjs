// What has room in a low or a narrow curve.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fittingCaption, mostLevels } from "../../assets/studio/panel/curve.mjs";

test("a low curve has as many numbers as fit above each other, and one at least", () => {
  assert.deepEqual([200, 44, 5].map((height) => mostLevels(height, 4)), [4, 3, 1]);
});

test("a caption without room is cut at its comma", () => {
  const widthOf = (text) => text.length;
  const caption = "divergence by γ, training and held-out rows";
  assert.equal(fittingCaption(caption, 100, widthOf), caption);
  assert.equal(fittingCaption(caption, 20, widthOf), "divergence by γ");
});
