// What is played ends where something else is played, where it is paused, and by itself.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Player } from "../../assets/studio/plane/clock.mjs";

let told, shown, player, now;
beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  [told, shown, now] = [[], [], 0];
  player = new Player((isPlaying) => told.push(isPlaying));
});
afterEach(() => mock.reset());

async function* steps(...names) {
  for (const name of names) {
    shown.push(name);
    yield 100;
  }
}

async function pass(milliseconds) {
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  now += milliseconds;
  mock.timers.tick(milliseconds);
  await new Promise((resolve) => setImmediate(resolve));
}

test("steps are shown one after the other, each for its time, until there are no more", async () => {
  const played = player.play(steps("a", "b"));
  await pass(50);
  assert.deepEqual([shown, player.isPlaying], [["a"], true]);
  for (let i = 0; i < 3; i += 1) await pass(100);
  await played;
  assert.deepEqual([shown, told, player.isPlaying], [["a", "b"], [true, false], false]);
});

test("nothing is shown any more once it is paused, and other steps take its place", async () => {
  player.play(steps("a", "b"));
  await pass(0);
  player.play(steps("c", "d"));
  for (let i = 0; i < 2; i += 1) await pass(100);
  player.pause();
  player.pause();
  for (let i = 0; i < 3; i += 1) await pass(100);
  assert.deepEqual(shown, ["a", "c", "d"]);
  assert.deepEqual(told, [true, true, false]);
});

test("a step that fails ends what is played", async () => {
  await assert.rejects(player.play((async function* () {
    yield* steps();
    throw new Error("no network");
  })()), /no network/);
  assert.equal(player.isPlaying, false);
});
