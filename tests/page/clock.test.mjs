// When there is time for the pictures between two planes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { drawAtOnce, isTimeToMove, keepMoving } from "../../assets/studio/plane/clock.mjs";

// A page whose time passes only while something draws.
let now = 0;
/** @type {(() => void)[]} */
const due = [];
Object.defineProperty(globalThis, "performance", { value: { now: () => now } });
globalThis.requestAnimationFrame = (/** @type {any} */ callback) => due.push(() => callback(now));
// @ts-ignore
globalThis.setTimeout = (/** @type {any} */ callback) => due.push(callback);

const taking = (/** @type {number} */ milliseconds) => () => {
  now += milliseconds;
  return false;
};

function settle() {
  while (due.length) due.shift()();
}

function repeat(/** @type {() => void} */ act) {
  for (let i = 0; i < 40; i += 1) {
    act();
    settle();
    now += 1000; // past any pause between two ticks
  }
}

test("a plane every 60 ms glides where a picture takes 5 ms, and not where it takes 20 ms", () => {
  repeat(() => drawAtOnce(taking(20)));
  assert.ok(!isTimeToMove(60));
  assert.ok(isTimeToMove(300)); // planes that come more slowly leave the time
  repeat(() => drawAtOnce(taking(5)));
  assert.ok(isTimeToMove(60));
});

test("several panels that are drawn before one paint count together", () => {
  repeat(() => {
    for (let panel = 0; panel < 4; panel += 1) drawAtOnce(taking(5));
  });
  assert.ok(!isTimeToMove(60));
});

test("pictures on their way count as those that stay", () => {
  repeat(() => keepMoving(taking(5)));
  assert.ok(isTimeToMove(60));
  repeat(() => keepMoving(taking(20)));
  assert.ok(!isTimeToMove(60));
});
