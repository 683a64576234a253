// The small shapes of features that bend, beside their names.
import assert from "node:assert/strict";
import { test } from "node:test";

import { pointsOf } from "../../assets/studio/analyses/feature_pictures.mjs";
import { PATH_SHARES } from "../../assets/studio/constants.mjs";

const points = (shape) => pointsOf(shape).split(" ").map((point) => point.split(",").map(Number));

test("a shape spans its box, from the smallest values at the left and the least effect at the bottom", () => {
  const found = points(PATH_SHARES.map((_, i) => i / (PATH_SHARES.length - 1)));
  assert.equal(found.length, PATH_SHARES.length);
  assert.deepEqual([found[0][1], found.at(-1)[1]], [13, 1]);
  for (const [i, [x]] of found.entries()) assert.ok(i === 0 || x > found[i - 1][0]);
});

test("half of the rows are left of the middle", () => {
  const middle = PATH_SHARES.indexOf(0.5);
  assert.equal(points(PATH_SHARES.map(() => 0))[middle][0], 22);
});
