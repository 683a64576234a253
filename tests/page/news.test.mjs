// News that overlap what a panel has are taken once.
import assert from "node:assert/strict";
import { test } from "node:test";

import { newerThan } from "../../assets/studio/panel/panel.mjs";

const NEWS = {
  sequences: [1, 2, 3],
  objective: [0.1, 0.2, 0.3],
  best: [0.1, 0.2, 0.3],
  starts: [0, 0, 0],
  n_sampled: [2000, 2000, 0],
  held_out: [[1, 0.05], [3, 0.2]],
  plane: { sequence: 3 },
};

test("of news that overlap, only what is new is kept, on every curve", () => {
  const { sequences, best, n_sampled: sampled, held_out: heldOut, plane } = newerThan(2, /** @type {any} */ (NEWS));
  assert.deepEqual([sequences, best, sampled, heldOut], [[3], [0.3], [0], [[3, 0.2]]]);
  assert.equal(plane, NEWS.plane);
});

test("old news have neither planes nor values", () => {
  const { sequences, held_out: heldOut, plane } = newerThan(3, /** @type {any} */ (NEWS));
  assert.deepEqual([sequences, heldOut, plane], [[], [], null]);
});
