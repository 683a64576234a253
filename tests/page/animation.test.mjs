// A picture that begins to move is never blank.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.requestAnimationFrame = () => 0; // no frame comes while a test runs
globalThis.window = /** @type {any} */ ({ devicePixelRatio: 1 });
const { CanvasAnimation } = await import("../../assets/studio/plane/animation.mjs");

function classes() {
  const names = new Set();
  return { contains: (name) => names.has(name), add: (name) => names.add(name), remove: (...gone) => gone.forEach((name) => names.delete(name)) };
}

const pen = new Proxy({}, { get: () => () => undefined, set: () => true });
const AXES = [[0, 1], [0, 1]];
const AXIS = { offset: 0, length: 100, gridColor: "#000000", tickStep: 1 };
const PIXELS = { x: AXIS, y: AXIS, hasEqualUnits: false };
const picture = (x) => {
  const trace = { meta: { kind: "train" }, mode: "markers", marker: { color: "#000000", size: 5 }, x: [x], y: [0.5] };
  return { plane: { traces: [] }, traces: [trace], axes: AXES, features: [] };
};

test("a plane that follows one at rest is drawn before what showed the rows of that gives way", () => {
  const plot = { classList: classes(), clientWidth: 100, clientHeight: 100 };
  const canvas = { getContext: () => pen, style: {} };
  const animation = new CanvasAnimation(canvas, plot, () => undefined);
  const told = [];
  animation.onAxes = () => {
    told.push(animation.isResting ? "rests" : "moves");
    return false;
  };
  animation.rest(picture(0), PIXELS);
  animation.draw(picture(1), PIXELS, false);
  assert.deepEqual(told, ["rests", "moves"]);
  animation.draw(picture(2), PIXELS, false); // on its way, the canvas has it all
  assert.deepEqual(told, ["rests", "moves"]);
  animation.keep();
});

test("a canvas goes on from what another has shown, pale where it takes long, and gives it up where no plane will come", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const plot = { classList: classes(), clientWidth: 100, clientHeight: 100 };
  const animation = new CanvasAnimation({ getContext: () => pen, style: {} }, plot, () => undefined);
  const former = picture(0);
  animation.takeOver(former, PIXELS);
  assert.ok(animation.isOn(false));
  animation.draw(picture(1), PIXELS, false);
  assert.equal(animation.from.traces[0].x[0], former.traces[0].x[0]);
  animation.takeOver(former, PIXELS);
  t.mock.timers.tick(5000);
  assert.equal(animation.to, former);
  assert.ok(plot.classList.contains("is-former"));
  animation.giveUp();
  assert.equal(animation.to, null);
  assert.ok(!plot.classList.contains("is-former"));
  assert.ok(!plot.classList.contains("is-moving"));
});

test("a plane glides to axes of its own, and is at once on those that a person chose", () => {
  const plot = { classList: classes(), clientWidth: 100, clientHeight: 100 };
  const animation = new CanvasAnimation({ getContext: () => pen, style: {} }, plot, () => undefined);
  const former = { ...picture(0), movesAxes: true };
  const wide = [[-2, 3], [-2, 3]];
  animation.rest(former, PIXELS);
  animation.draw({ ...former, axes: wide }, PIXELS, false);
  assert.deepEqual(animation.pictureAt(animation.began).axes, AXES);
  assert.deepEqual(animation.pictureAt(animation.began + 1000).axes, wide);
  animation.rest(former, PIXELS);
  animation.draw({ ...former, axes: wide, movesAxes: false }, PIXELS, false);
  assert.equal(animation.from, null);
  animation.keep();
});

test("rows whose glide to their other places is turned round on the way have their ways behind them, too", (t) => {
  t.mock.method(performance, "now", () => now);
  let now = 0;
  const plot = { classList: classes(), clientWidth: 100, clientHeight: 100 };
  const animation = new CanvasAnimation({ getContext: () => pen, style: {} }, plot, () => undefined);
  const shown = (x, state) => ({ ...picture(x), plane: { sequence: 0, places: { state } }, lastsMs: 900 });
  animation.rest(shown(0, "unseen"), PIXELS);
  animation.draw(shown(1, "fitted"), PIXELS, false);
  now = 450;
  const half = animation.pictureAt(now).traces[0].x[0];
  animation.draw(shown(0, "unseen"), PIXELS, false);
  now = 900;
  const { traces, ways } = animation.pictureAt(now);
  assert.deepEqual(ways[0].x, [half, traces[0].x[0], NaN]);
  animation.keep();
});
