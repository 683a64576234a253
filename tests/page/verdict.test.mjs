// The strip above a picture leads with the held-out share and names that of guessing.
import assert from "node:assert/strict";
import { test } from "node:test";

import { unbroken } from "../../assets/studio/page/number_text.mjs";
import { verdictText } from "../../assets/studio/panel/verdict.mjs";

test("the held-out share leads, and guessing among the classes follows", () => {
  const numbers = { "accuracy-seen": 1, "accuracy-unseen": 0.981 };
  assert.deepEqual(verdictText(numbers, 3), {
    leads: "98 % of held-out rows are told apart",
    follows: "guessing: 33 %, training rows: 100 %",
  });
});

test("without held-out rows the training share leads, and says so", () => {
  const numbers = { "accuracy-seen": 0.5, "accuracy-unseen": null };
  const { leads, follows } = verdictText(numbers, 2);
  assert.equal(leads, "50 % of training rows are told apart");
  assert.equal(follows, "guessing: 50 %, a class has no held-out row");
});

test("no line begins with a percent sign", () => {
  assert.deepEqual(unbroken("guessing: 33 %, training rows: 100 %").split(" ").filter((part) => part.startsWith("%")), []);
});
