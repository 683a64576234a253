// The way from one plane to the next.
import assert from "node:assert/strict";
import { test } from "node:test";

import { averageMap, between, isAlike } from "../../assets/studio/plane/animation.mjs";

const ROWS = [[0, 0], [2, 0], [0, 1], [3, 2]];
const RING = [[1, 0], [0, 1], [NaN, NaN], [-1, 0]];

const trace = (kind, points, code) => ({
  meta: { kind, class: code },
  x: Float32Array.from(points, ([x]) => x),
  y: Float32Array.from(points, ([, y]) => y),
});

// Of arrows from the origin: the strong shafts, the faint ones, and the heads of all.
function arrows(tips, features, isFaint = () => false) {
  const shafts = (kind, isOwn) => {
    const own = features.flatMap((feature, i) => (isOwn(feature) ? [i] : []));
    const along = (axis) => own.flatMap((i) => [0, tips[i][axis], null]);
    return { meta: { kind }, x: along(0), y: along(1), features: own.map((i) => features[i]) };
  };
  const heads = { meta: { kind: "arrow_heads" }, marker: { angle: tips.map(() => 0) }, x: tips.map(([x]) => x), y: tips.map(([, y]) => y) };
  return [shafts("faint_arrows", isFaint), shafts("arrow_lines", (feature) => !isFaint(feature)), heads];
}
const points = ({ x, y }) => Array.from(x, (value, i) => [value, y[i]]);

function picture(rows, ring, { tips = [], features = [], isFaint = undefined, axes = [[0, 1], [0, 1]] } = {}) {
  return { traces: [trace("contour", ring, 0), trace("train", rows, 0), ...arrows(tips, features, isFaint)], axes, features };
}

// A quarter turn, twice as large, and moved.
const turned = (all) => all.map(([x, y]) => [5 - 2 * y, 2 * x]);

function assertClose(actual, expected) {
  for (const [i, pair] of expected.entries()) {
    for (const axis of [0, 1]) {
      const isSame = Math.abs(actual[i][axis] - pair[axis]) < 1e-5 || (Number.isNaN(actual[i][axis]) && Number.isNaN(pair[axis]));
      assert.ok(isSame, `${actual[i]} is not ${pair}`);
    }
  }
}

test("points are half way between two planes", () => {
  const [from, to] = [picture(ROWS, RING), picture(turned(ROWS), turned(RING))];
  const half = between(from, to, 0.5).traces[1];
  assertClose(points(half), ROWS.map(([x, y], i) => [(x + turned(ROWS)[i][0]) / 2, (y + turned(ROWS)[i][1]) / 2]));
});

test("the name of a class goes with its rows", () => {
  const named = (place) => ({ ...picture(ROWS, RING), traces: [trace("class_names", [place], 0)] });
  assertClose(points(between(named([0, 4]), named([2, 0]), 0.5).traces[0]), [[1, 2]]);
});

test("contours of both planes lie over each other where the rows move as one", () => {
  const [from, to] = [picture(ROWS, RING), picture(turned(ROWS), turned(RING))];
  const { traces, fading } = between(from, to, 0.25);
  assertClose(points(fading[0]), points(traces[0]));
  assert.deepEqual([fading[0].opacity, traces[0].opacity], [0.75, 0.25]);
});

test("the way ends at the next plane itself", () => {
  const [from, to] = [picture(ROWS, RING), picture(turned(ROWS), turned(RING))];
  const end = between(from, to, 1);
  assert.equal(end.traces, to.traces);
  assert.deepEqual(end.fading, []);
});

test("the map of rows that turn, grow and move is that turn", () => {
  const map = averageMap(picture(ROWS, RING), picture(turned(ROWS), RING));
  assertClose([map.slice(0, 2), map.slice(2)], [[0, -2], [2, 0]]);
});

test("rows on a line do not say how contours turn, which then stay", () => {
  const flat = picture([[0, 0], [1, 0], [2, 0]], RING);
  assert.equal(averageMap(flat, flat), null);
  assertClose(points(between(flat, flat, 0.5).traces[0]), RING);
});

test("an arrow follows its feature, and a new one begins where it ends", () => {
  const from = picture(ROWS, RING, { tips: [[0, 0], [4, 4]], features: [7, 3] });
  const to = picture(ROWS, RING, { tips: [[6, 6], [1, 1]], features: [3, 9] });
  assertClose(points(between(from, to, 0.5).traces[4]), [[5, 5], [1, 1]]);
});

test("heads of arrows stay on their shafts, and point along them, where a feature turns faint on the way", () => {
  const from = picture(ROWS, RING, { tips: [[0, 4], [2, 0]], features: [7, 3] });
  const to = picture(ROWS, RING, { tips: [[4, 0], [0, 2]], features: [7, 3], isFaint: (feature) => feature === 3 });
  const [, , faint, strong, heads] = between(from, to, 0.5).traces;
  assertClose(points(heads), [[2, 2], [1, 1]]);
  assert.deepEqual([strong, faint].map((shaft) => points(shaft)[1]), points(heads));
  assert.deepEqual(heads.marker.angle, [45, 45]);
});

test("a head stays on its shaft where arrows begin to bend", () => {
  const from = picture(ROWS, RING, { tips: [[2, 0]], features: [7] });
  const to = picture(ROWS, RING, { tips: [[4, 4]], features: [7] });
  const shaft = to.traces[3];
  Object.assign(shaft, { x: [...shaft.x, 3, 4, null], y: [...shaft.y, 1, 4, null] });
  const { traces } = between(from, to, 0.5);
  assertClose([points(traces[3])[1], points(traces[4])[0]], [[3, 2], [3, 2]]);
  assert.ok(traces[3].x.slice(3).every(Number.isNaN));
});

test("axes glide with the points", () => {
  const [from, to] = [picture(ROWS, RING), picture(ROWS, RING, { axes: [[2, 5], [0, 1]] })];
  assert.deepEqual(between(from, to, 0.5).axes, [[1, 3], [0, 1]]);
});

test("rows have their ways behind them from where they were fitted, at most a hundred, and none between planes", () => {
  const many = Array.from({ length: 250 }, (_, i) => /** @type {[number, number]} */ ([i, 0]));
  const shown = (rows, state, sequence = 0) => {
    const shownSo = { ...picture(rows, RING), plane: { sequence, places: { state } } };
    Object.assign(shownSo.traces[1], { marker: { color: "teal" } });
    return shownSo;
  };
  const ways = (from, to) => between(from, to, 0.5).ways;
  const [way] = ways(shown(ROWS, "fitted"), shown(turned(ROWS), "unseen"));
  const [x, y] = turned(ROWS)[1];
  assertClose(points(way).slice(3, 6), [ROWS[1], [(ROWS[1][0] + x) / 2, (ROWS[1][1] + y) / 2], [NaN, NaN]]);
  assert.equal(way.line.color, "teal");
  const [some] = ways(shown(many, "fitted"), shown(turned(many), "unseen"));
  assert.ok(some.x.length <= 300 && some.x.length > 200);
  assert.deepEqual(ways(shown(ROWS, "fitted"), shown(turned(ROWS), "fitted", 1)), []);
  assert.deepEqual(ways(shown(ROWS, "fitted"), shown(turned(ROWS), "unseen", 1)), []);
});

test("planes of other rows are not alike", () => {
  assert.ok(isAlike(picture(ROWS, RING), picture(ROWS, [])));
  assert.ok(!isAlike(picture(ROWS, RING), picture(ROWS.slice(1), RING)));
});
