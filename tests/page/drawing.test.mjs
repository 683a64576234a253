// Arrays and scales: what the server sends becomes pixels.
import assert from "node:assert/strict";
import { test } from "node:test";

import { arraysIn, numbers } from "../../assets/studio/plane/arrays.mjs";
import { percent, tickLabel } from "../../assets/studio/page/number_text.mjs";
import { along, drawnOn } from "../../assets/studio/plane/pixel_axes.mjs";
import { multiples, steadyLimits, tickStep, union, withEqualUnits } from "../../assets/studio/plane/scales.mjs";

// As the server writes codes: all low bytes of the differences, then the next ones.
function bytesOf(codes, width) {
  const differences = codes.map((code, i) => (code - (codes[i - 1] ?? 0)) >>> 0);
  return Array.from({ length: width }, (_, at) => differences.map((value) => (value >>> (8 * at)) & 255)).flat();
}

const inJson = (codes, low, step) => ({ dtype: "u2", low, step, bdata: Buffer.from(bytesOf(codes, 2)).toString("base64") });

function inBytes(headers, values) {
  const head = new TextEncoder().encode(JSON.stringify(headers));
  return Uint8Array.from([head.length, 0, 0, 0, ...head, ...values.flat()]).buffer;
}

test("codes are decoded from their lowest value in their steps", () => {
  assert.deepEqual([...numbers(inJson([1, 65535, 2, 300], -1, 0.5))], [-1, 32766, -0.5, 148.5]);
});

test("the end of a line in codes stays a gap", () => {
  assert.deepEqual([...numbers(inJson([4, 0, 2], 0, 1))], [3, NaN, 1]);
});

test("arrays in bytes are read by their names, whatever their widths", () => {
  const header = (width) => ({ dtype: `u${width}`, low: 10, step: 0.25, shape: [2] });
  const heads = { x: header(3), marks: { dtype: "u1", shape: [3] }, y: header(4) };
  const found = arraysIn(inBytes(heads, [bytesOf([2 ** 24 - 1, 1], 3), [7, 0, 255], bytesOf([1, 2 ** 26 + 1], 4)]));
  assert.deepEqual([...found.x], [Math.fround(10 + 0.25 * (2 ** 24 - 2)), 10]);
  assert.deepEqual([...found.marks], [7, 0, 255]);
  assert.deepEqual([...found.y], [10, 10 + 2 ** 24]);
});

test("a coordinate along an ellipse begins and ends at its cosine", () => {
  const values = numbers({ dtype: "ellipse", center: 2, cosine: 3, sine: 1 });
  assert.deepEqual([values[0], values.at(-1)], [5, 5]);
  assert.ok(Math.abs(values[(values.length - 1) / 4] - 3) < 1e-6);
});

test("an array without values has no numbers", () => {
  assert.deepEqual([...numbers(inJson([], 0, 1))], []);
});

test("plain numbers are taken as they are, and a missing array is empty", () => {
  const plain = [1, null, 2];
  assert.equal(numbers(plain), plain);
  assert.deepEqual(numbers(undefined), []);
});

test("an axis maps the ends of a range to its own ends, the vertical one from below", () => {
  const places = { x: { offset: 10, length: 400 }, y: { offset: 100, length: 200 }, hasEqualUnits: false };
  const { x, y } = drawnOn([[-2, 6], [0, 1]], places);
  assert.deepEqual([-2, 2, 6].map(along(x)), [10, 210, 410]);
  assert.deepEqual([0, 1].map(along(y)), [300, 100]);
});

test("where a line ends there is no pixel", () => {
  assert.ok(Number.isNaN(along({ offset: 0, scale: 100 })(null)));
});

test("equal units widen one range about its middle and leave the other", () => {
  assert.deepEqual(withEqualUnits([[0, 10], [4, 6]], [100, 100]), [[0, 10], [0, 10]]);
  assert.deepEqual(withEqualUnits([[0, 10], [4, 6]], [200, 100]), [[0, 10], [2.5, 7.5]]);
});

test("multiples of a step lie within the range, both ends included", () => {
  assert.deepEqual(multiples(0.5, [-0.6, 1]), [-0.5, 0, 0.5, 1]);
});

test("there are no multiples without a step, and never too many", () => {
  assert.deepEqual(multiples(undefined, [0, 1]), []);
  assert.equal(multiples(1e-6, [0, 1]).length, 50);
});

test("the union holds every box and leaves out those that are not known", () => {
  const boxes = [[[0, 1], [0, 1]], null, [[-3, 0.5], [0.2, 4]]];
  assert.deepEqual(union(boxes), [[-3, 1], [0, 4]]);
});

test("limits that shrink a little stay; limits that grow or shrink much change", () => {
  const old = [[0, 10], [0, 10]];
  assert.deepEqual(steadyLimits(old, [[1, 9], [0, 10]]), old);
  assert.deepEqual(steadyLimits(old, [[4, 6], [0, 10]]), [[4, 6], [0, 10]]);
  assert.deepEqual(steadyLimits(old, [[0, 11], [1, 9]]), [[0, 11], [0, 10]]);
  assert.deepEqual(steadyLimits(null, old), old);
});

test("ticks are one, two or five times a power of ten apart, and no more than asked for", () => {
  assert.deepEqual([[0, 8], [0, 9], [0, 170], [-0.1, 0.1]].map((range) => tickStep(range, 8)), [1, 2, 50, 0.05]);
  assert.equal(tickStep([3, 3], 8), undefined);
});

test("ticks say as many digits as tell them apart", () => {
  assert.deepEqual([tickLabel(0.3, 0.05), tickLabel(-2, 1), tickLabel(-0, 0.5), tickLabel(2e6, 1e6)], ["0.30", "−2", "0.0", "2.0e+6"]);
});

test("a share is all only where nothing is missing", () => {
  assert.deepEqual([0, 0.994, 0.9951, 1].map(percent), ["0 %", "99 %", "over 99 %", "100 %"]);
});

test("shares are written as tests/melm_core/base/test_share_text.py has them", () => {
  const shares = [0, 1 / 3, 0.125, 0.285, 0.994, 0.999, 1];
  assert.deepEqual(shares.map(percent), ["0 %", "33 %", "13 %", "29 %", "99 %", "over 99 %", "100 %"]);
});
