import assert from "node:assert/strict";
import { test } from "node:test";

import { rowsOf } from "../../assets/studio/plane/every_row.mjs";

test("stretches say the class of each row and whether it is held out", () => {
  const { numbers, classes, heldOut } = rowsOf([
    { class: 0, held_out: false, count: 2 },
    { class: 0, held_out: true, count: 1 },
    { class: 300, held_out: false, count: 1 },
  ]);
  assert.equal(numbers.length, 4);
  assert.deepEqual([...classes], [0, 0, 0, 300]);
  assert.deepEqual([...heldOut], [0, 0, 1, 0]);
});
