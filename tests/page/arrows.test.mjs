// Arrows: where they are, what loading they stand for, and where their names are written.
import assert from "node:assert/strict";
import { test } from "node:test";

import { PATH_SHARES } from "../../assets/studio/constants.mjs";
import { edgeMarks, outsideText } from "../../assets/studio/rows/outside.mjs";
import { boxOf, placeLabels, setApart, shortened, toldApart, withRoom } from "../../assets/studio/plane/label_placement.mjs";
import { rounded, wrapped } from "../../assets/studio/panel/plane_editing.mjs";
import { atStep, loadingOf, nearest, nearestStep, originOf, pathOf, pathWords, stepOfShare, tipsOf } from "../../assets/studio/plane/arrows.mjs";

const kinds = ["contour", "arrow_heads", "arrow_lines"];
const figure = { plane: { data: kinds.map((kind) => ({ meta: { kind } })) } };
const plane = {
  traces: [
    { x: [9], y: [9] },
    { x: [2, 5], y: [1, 4] },
    { x: [1, 2, null, 1, 5, null], y: [1, 1, null, 2, 4, null] },
  ],
};

test("origins and tips are found by the kind of the trace", () => {
  assert.deepEqual(originOf(figure, plane, 1), [1, 2]);
  assert.deepEqual(tipsOf(figure, plane), [[2, 1], [5, 4]]);
});

test("a loading is what lies between origin and tip, in units of the arrows", () => {
  assert.deepEqual(loadingOf([5, 4], [1, 2], 4), [1, 0.5]);
});

test("the nearest tip is taken, if it is within reach", () => {
  const tips = [[0, 0], [10, 0]];
  assert.equal(nearest(tips, [7, 0], 18), 1);
  assert.equal(nearest(tips, [40, 0], 18), null);
  assert.equal(nearest([], [0, 0], 18), null);
});

const bend = PATH_SHARES.map((_, i) => [i, (i - 8) ** 2 / 8]);
const bentLines = (axis) => [1, 2, null, ...bend.map((vertex) => vertex[axis]), null];

test("the path of an arrow that bends comes after its line", () => {
  const straight = [5, 6, null, ...bend.map(() => NaN), null];
  const lines = { x: [...straight, ...bentLines(0)], y: [...straight, ...bentLines(1)] };
  const bent = { arrows: { names: ["a", "b"] }, traces: [{}, {}, lines] };
  assert.deepEqual(pathOf(figure, bent, 1), bend);
});

test("a path is read at its nearest place, also between vertices", () => {
  assert.deepEqual(nearestStep([[0, 0], [4, 0], [4, 4]], [1, -3]), { step: 0.25, distance: 3 });
  assert.deepEqual(nearestStep([[0, 0], [4, 0], [4, 4]], [9, 9]), { step: 2, distance: Math.hypot(5, 5) });
  assert.equal(atStep([10, 20, 40], 1.5), 30);
  assert.equal(atStep([10, 20, 40], 2), 40);
});

test("a share of rows is a step of the path, from end to end", () => {
  for (const share of [0.01, 0.1, 0.25, 0.5, 0.6, 0.99]) {
    assert.ok(Math.abs(atStep(PATH_SHARES, stepOfShare(share)) - share) < 1e-9);
  }
});

test("a place of a path says value, rank and where it moves a row", () => {
  const values = PATH_SHARES.map((_, i) => i - 10);
  assert.equal(
    pathWords("dose", values, bend, [7, 1], 4, false),
    "dose −6: 25\u00a0% of rows have less; it moves a row by (−3.00,\u00a0+1.00)",
  );
  assert.equal(
    pathWords("dose", values, bend, [7, 1], 4, true),
    "dose −6: 25\u00a0% of rows have less; it moves a row by −3.00",
  );
});

const area = { left: 0, right: 400, top: 0, bottom: 300 };
const tip = (x, y, from = [200, 150]) => ({ at: [x, y], from, width: 60, height: 16 });

test("a name is written beyond its tip, and beside it at the edge", () => {
  assert.deepEqual(placeLabels([tip(300, 150)], area, []), ["middle right"]);
  assert.deepEqual(placeLabels([tip(200, 80)], area, []), ["top center"]);
  const [place] = placeLabels([tip(390, 100)], area, []);
  assert.ok(["top center", "top left"].includes(place) || place === null);
});

test("no two names overlap, nor any with a class name", () => {
  const tips = [tip(300, 150), tip(302, 156), tip(100, 150), tip(298, 144)];
  const taken = [{ left: 30, right: 92, top: 140, bottom: 160 }];
  const places = placeLabels(tips, area, taken);
  const boxes = [...taken, ...places.flatMap((place, i) => (place ? [boxOf(tips[i], place)] : []))];
  for (const [i, one] of boxes.entries()) {
    for (const other of boxes.slice(i + 1)) {
      const isApart = one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top;
      assert.ok(isApart);
    }
  }
});

test("an arrow whose name has no room is not drawn", () => {
  const taken = [{ left: 0, right: 400, top: 0, bottom: 300 }];
  assert.deepEqual(placeLabels([tip(300, 150)], area, taken), [null]);
});

const box = (x, y) => ({ left: x, right: x + 40, top: y, bottom: y + 16 });

test("names of classes with the same middle part by as little as they need", () => {
  const [one, other] = setApart([box(0, 100), box(10, 106)]);
  assert.deepEqual([one, other], [box(0, 95), box(10, 111)]);
  assert.deepEqual(setApart([box(0, 100), box(60, 100)]), [box(0, 100), box(60, 100)]);
});

test("no two of twelve names of one middle cover each other", () => {
  const placed = setApart(Array.from({ length: 12 }, () => box(0, 100)));
  const tops = placed.map(({ top }) => top).sort((one, other) => one - other);
  assert.ok(tops.slice(1).every((top, i) => top - tops[i] > 15));
  assert.ok(Math.abs(tops.reduce((sum, top) => sum + top, 0) / 12 - 100) < 1e-9);
});

test("of many names, those without room at their clouds are left out, the wanted ones last", () => {
  const whole = { left: 0, right: 500, top: 0, bottom: 500 };
  const boxes = [...Array.from({ length: 12 }, () => box(0, 100)), box(300, 300), box(480, 300)];
  const placed = withRoom(boxes, whole, (i) => i === 7);
  assert.deepEqual(placed[7], box(0, 100));
  assert.deepEqual(placed[12], box(300, 300));
  assert.equal(placed[13], null); // it would be cut off
  const seen = placed.filter(Boolean);
  assert.ok(seen.length < 6);
  seen.forEach(({ top }) => assert.ok(Math.abs(top - 100) <= 16 || top === 300));
  assert.equal(withRoom(boxes.slice(0, 8), whole, () => false).filter(Boolean).length, 8);
});

test("long names that differ at their ends stay different", () => {
  const names = ["concentration of phenols, total", "concentration of phenols, free"];
  assert.notEqual(...names.map((name) => shortened(name, 20)));
  assert.equal(shortened("concentration of phenols, total", 20).length, 20);
  assert.equal(shortened("proline", 20), "proline");
});

test("rows beyond the ranges are marked at the edge, pointing to them", () => {
  const marks = edgeMarks([0, 10, 0.5], [0, 0.5, -7], [[-1, 1], [-1, 1]]);
  assert.deepEqual(marks.map(({ row, angle }) => [row, angle]), [[1, 90], [2, 180]]);
  assert.ok(marks[0].x > 0.9 && marks[0].x < 1);
  assert.equal(outsideText(2), "2 rows outside, at the edge");
  assert.equal(outsideText(0), "");
});

test("angles are brought within half a turn of zero", () => {
  assert.equal(rounded(wrapped(Math.PI + 0.5)), rounded(0.5 - Math.PI));
  assert.equal(rounded(wrapped(-7 * Math.PI - 0.25)), rounded(Math.PI - 0.25));
  assert.equal(wrapped(0), 0);
});

test("names that differ in their middle look different", () => {
  const names = [1, 2, 10].map((at) => `a very long name with units, channel ${at} [mg per 100 g of dry matter]`);
  const shown = toldApart([...names, "proline"], 24);
  assert.equal(new Set(shown).size, 4);
  assert.equal(shown[3], "proline");
  shown.forEach((text) => assert.ok(text.length <= 24));
  assert.deepEqual(toldApart(["proline", "proline"], 24), ["proline", "proline"]);
});
