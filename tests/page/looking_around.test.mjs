// Looking around in a picture by pointer, wheel and keys.
import assert from "node:assert/strict";
import test from "node:test";

/** @type {(() => void)[]} */
let due = [];
globalThis.requestAnimationFrame = (/** @type {any} */ callback) => due.push(callback);
const { lookAround } = await import("../../assets/studio/plane/looking_around.mjs");

// A picture of 100 by 50 pixels, within a margin of 10.
const PIXELS = { x: { offset: 10, length: 100 }, y: { offset: 10, length: 50 } };

class Plot extends EventTarget {
  setPointerCapture() {}
  getBoundingClientRect = () => ({ left: 200, top: 300 });

  send(type, [x, y] = [0, 0], more = {}) {
    const own = { clientX: 200 + x, clientY: 300 + y, button: 0, pointerId: 1, pointerType: "mouse", ...more };
    this.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), own));
  }
}

function picture(more = {}) {
  const plot = new Plot();
  const told = { axes: [[0, 10], [0, 5]], looks: [], points: [] };
  const look = (axes) => {
    told.looks.push(axes);
    told.axes = axes ?? told.axes;
  };
  const shown = () => ({ axes: told.axes, pixels: PIXELS });
  lookAround(/** @type {any} */ (plot), { shown, look, point: (place) => told.points.push(place), ...more });
  return { plot, told };
}

function nextFrame() {
  const calls = due;
  due = [];
  for (const call of calls) call();
}

const rounded = (axes) => axes.map((range) => range.map((end) => Number(end.toFixed(9))));

test("dragging takes along what is under the pointer, and draws once in a frame", () => {
  const { plot, told } = picture();
  plot.send("pointerdown", [20, 20]);
  plot.send("pointermove", [30, 20]);
  plot.send("pointermove", [40, 25]);
  assert.deepEqual(told.looks, []);
  nextFrame();
  assert.deepEqual(told.looks.map(rounded), [[[-2, 8], [0.5, 5.5]]]);
  assert.deepEqual(told.points, [null, null]);
});

test("a press that hardly moves is a tap", () => {
  const { plot, told } = picture();
  plot.send("pointerdown", [20, 20]);
  plot.send("pointermove", [22, 21]);
  plot.send("pointerup", [22, 21]);
  nextFrame();
  assert.deepEqual([told.looks, told.points], [[], [[22, 21]]]);
});

test("the wheel keeps what is under the pointer", () => {
  const { plot, told } = picture();
  plot.send("wheel", [35, 35], { deltaY: -20 });
  plot.send("wheel", [35, 35], { deltaY: -20 });
  nextFrame();
  assert.equal(told.looks.length, 1);
  const [[left, right], [bottom, top]] = told.axes;
  assert.ok(right - left < 10 * 0.9);
  assert.ok(Math.abs(left + 0.25 * (right - left) - 2.5) < 1e-9);
  assert.ok(Math.abs(bottom + 0.5 * (top - bottom) - 2.5) < 1e-9);
});

test("two fingers that part zoom about their middle, and end what the first one did", () => {
  const ended = [];
  const { plot, told } = picture({ take: () => ({ move: () => assert.fail("two fingers zoom"), end: (isDone) => ended.push(isDone) }) });
  plot.send("pointerdown", [50, 35], { pointerId: 1 });
  plot.send("pointerdown", [70, 35], { pointerId: 2 });
  plot.send("pointermove", [40, 35], { pointerId: 1 });
  plot.send("pointermove", [80, 35], { pointerId: 2 });
  nextFrame();
  assert.deepEqual(rounded(told.axes), [[2.5, 7.5], [1.25, 3.75]]);
  assert.deepEqual(ended, [false]);
});

test("what takes a press is told where it goes, and the picture stays", () => {
  const places = [];
  const { plot, told } = picture({ take: ([x]) => (x > 50 ? null : { move: (place) => places.push(place), end: (isDone) => places.push(isDone) }) });
  plot.send("pointerdown", [20, 20]);
  plot.send("pointermove", [40, 20]);
  plot.send("pointerup", [40, 20]);
  nextFrame();
  assert.deepEqual([places, told.looks], [[[40, 20], true], []]);
  plot.send("pointerdown", [60, 20]);
  plot.send("pointermove", [80, 20]);
  nextFrame();
  assert.equal(told.looks.length, 1);
});

test("keys move, zoom and show all, unless they are for something else", () => {
  let isFree = true;
  const { plot, told } = picture({ hasKeys: () => isFree });
  const press = (key, more = {}) => {
    plot.send("keydown", undefined, { key, ...more });
    nextFrame();
  };
  press("ArrowRight");
  press("+");
  press("0");
  assert.deepEqual(told.looks.map((axes) => axes && rounded(axes)), [[[1, 11], [0, 5]], [[2, 10], [0.5, 4.5]], null]);
  press("0", { ctrlKey: true });
  isFree = false;
  press("ArrowRight");
  assert.equal(told.looks.length, 3);
});
