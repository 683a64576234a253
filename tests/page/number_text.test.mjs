import assert from "node:assert/strict";
import { test } from "node:test";

import { scoreText } from "../../assets/studio/page/number_text.mjs";

test("an accuracy is 1.00 for all rows only, and a score that is not known a dash", () => {
  const accuracies = [0.984, 0.9994, 0.9997, 1, null].map((value) => scoreText("accuracy-held-out", value));
  assert.deepEqual(accuracies, ["0.984", "0.999", "> 0.999", "1.00", "–"]);
  assert.equal(scoreText("divergence-training", 0.9997), "1.00");
  assert.equal(scoreText("divergence-held-out", -0.1234), "−0.123");
});
