import assert from "node:assert/strict";
import test from "node:test";
import { factorOf, zoomedAt } from "../../assets/studio/plane/looking_around.mjs";

const AXES = [[0, 10], [-2, 2]];

test("the place under the pointer stays where it is", () => {
  const [x, y] = zoomedAt(AXES, [0.3, 0.75], 0.5);
  assert.deepEqual(x, [1.5, 6.5]);
  assert.deepEqual(y, [-0.5, 1.5]);
  assert.equal(x[0] + 0.3 * (x[1] - x[0]), 3);
  assert.equal(y[0] + 0.75 * (y[1] - y[0]), 1);
});

test("turning back shows what was shown", () => {
  const there = zoomedAt(AXES, [0.1, 0.9], factorOf(-40));
  const back = zoomedAt(there, [0.1, 0.9], factorOf(40));
  for (const [axis, range] of back.entries()) {
    for (const [end, value] of range.entries()) assert.ok(Math.abs(value - AXES[axis][end]) < 1e-12);
  }
});

test("a turn zooms in or out, by no more than a tenth however fast the wheel is", () => {
  assert.ok(factorOf(-10) < 1);
  assert.ok(factorOf(10) > 1);
  assert.equal(factorOf(-5000), factorOf(-20));
  assert.ok(factorOf(5000) < 1.11);
});
