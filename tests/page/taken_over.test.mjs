// A new picture goes on from the one in its place once the page is laid out, and asks for no layout of its own.
import assert from "node:assert/strict";
import { test } from "node:test";

const resized = [];
Object.assign(globalThis, {
  requestAnimationFrame: () => 0, // no frame comes while a test runs
  window: { devicePixelRatio: 1, addEventListener: () => undefined },
  addEventListener: () => undefined,
  ResizeObserver: class {
    constructor(callback) {
      resized.push(callback);
    }

    observe() {}
  },
});
const { Painting } = await import("../../assets/studio/panel/painting.mjs");

const pen = new Proxy({}, { get: () => () => undefined, set: () => true });
const AXIS = { tickfont: { size: 12 }, gridcolor: "#000000", showticklabels: false };
const LEFT = {
  picture: { plane: { traces: [] }, traces: [], axes: [[0, 1], [0, 1]], features: [] },
  layout: { margin: { r: 0, t: 0 }, xaxis: AXIS, yaxis: AXIS },
};

function newPainting() {
  const plot = {
    classList: { contains: () => false, add: () => undefined, remove: () => undefined, toggle: () => undefined },
    addEventListener: () => undefined,
    get clientWidth() {
      throw new Error("The page was laid out.");
    },
    get clientHeight() {
      throw new Error("The page was laid out.");
    },
  };
  const parts = { plot, motion: { getContext: () => pen, style: {} } };
  return new Painting({ part: (name) => parts[name], plane: null });
}

const laidOut = () => resized.at(-1)([{ contentRect: { width: 100, height: 100 } }]);

test("a new picture shows what it takes over once its size is there", () => {
  const painting = newPainting();
  painting.takeOver(LEFT);
  assert.equal(painting.animation.to, null);
  laidOut();
  assert.equal(painting.animation.to, LEFT.picture);
  painting.animation.keep();
});

test("what is given up is not shown when the picture has another size", () => {
  const painting = newPainting();
  painting.takeOver(LEFT);
  painting.giveUp();
  laidOut();
  assert.equal(painting.animation.to, null);
});
