// Rows are encircled, and marks over the rows say what they are.
import assert from "node:assert/strict";
import test from "node:test";

const node = () => ({ attributes: {}, setAttribute(name, value) { this.attributes[name] = value; }, append() {}, remove() { this.isGone = true; } });
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { createElementNS: node, body: { dataset: {} } }));
const { outlineFrom } = await import("../../assets/studio/rows/outline.mjs");
const { nearestPoint } = await import("../../assets/studio/plane/painter.mjs");
const { saysSomething } = await import("../../assets/studio/rows/selection.mjs");

function closed(kind, places, isDone = true) {
  const picture = { drawn: [], append(drawing) { this.drawn.push(drawing); } };
  const found = [];
  const drag = outlineFrom(/** @type {any} */ (picture), kind, [10, 20], (corners) => found.push(corners));
  for (const place of places) drag.move(place);
  drag.end(isDone);
  assert.ok(picture.drawn.every(({ isGone }) => isGone));
  return found;
}

test("a lasso has the corners that it went by, a box those between its ends", () => {
  assert.deepEqual(closed("lasso", [[30, 20], [30, 40]]), [[[10, 20], [30, 20], [30, 40]]]);
  assert.deepEqual(closed("select", [[30, 25], [40, 50]]), [[[10, 20], [40, 20], [40, 50], [10, 50]]]);
});

test("an outline that is given up, or encloses nothing, selects nothing", () => {
  assert.deepEqual(closed("select", [[30, 25]], false), []);
  assert.deepEqual(closed("lasso", [[30, 25]]), []);
  assert.deepEqual(closed("select", []), []);
});

test("the nearest mark within reach says what it is, and hidden ones say nothing", () => {
  const onScreen = ([x, y]) => /** @type {[number, number]} */ ([10 * x, 10 * y]);
  const marks = { meta: { kind: "outside" }, mode: "markers", x: [1, 2], y: [1, 1], text: ["one", "two"] };
  const names = { meta: { kind: "arrow_heads" }, mode: "markers+text", x: [1], y: [1], text: ["a feature"] };
  const nearest = (traces, place) => nearestPoint(traces, place, onScreen, 7, saysSomething);
  assert.deepEqual(nearest([names, marks], [16, 10]), { trace: 1, index: 1, at: [20, 10] });
  assert.equal(nearest([marks], [40, 10]), null);
  assert.equal(nearest([{ ...marks, visible: false }], [10, 10]), null);
});
