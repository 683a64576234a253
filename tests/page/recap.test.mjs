// The recap of a search that was over in a blink.
import assert from "node:assert/strict";
import { test } from "node:test";

import { recapSequences } from "../../assets/studio/panel/painting.mjs";

// The news of a search that reached these values, each start beginning lower.
function news(objective, first = 0) {
  let highest = -Infinity;
  const best = objective.map((value) => (highest = Math.max(highest, value)));
  return { sequences: objective.map((_, i) => first + i), objective, best };
}

test("planes that improved are shown in their order, without the last", () => {
  assert.deepEqual(recapSequences(news([1, 2, 0, 3, 4, 5], 10)), [10, 11, 13, 14]);
});

test("a search with few improvements has no recap", () => {
  assert.deepEqual(recapSequences(news([1, 2, 0, 1, 3])), []);
  assert.deepEqual(recapSequences(news([])), []);
});

test("a long climb is thinned evenly, with both ends", () => {
  const shown = recapSequences(news(Array.from({ length: 101 }, (_, i) => i)));
  assert.equal(shown.length, 12);
  assert.deepEqual([shown[0], shown.at(-1)], [0, 99]);
});
