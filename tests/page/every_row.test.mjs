// Every row as pixels: dressed, sorted, found, and drawn.
import assert from "node:assert/strict";
import { test } from "node:test";

import { UNLABELED_COLOR } from "../../assets/studio/constants.mjs";
import { colorParts, dressOf, partsOf } from "../../assets/studio/plane/dress.mjs";
import { footprint } from "../../assets/studio/plane/raster.mjs";
import { positionOf } from "../../assets/studio/plane/every_row.mjs";
import { aloneOpacity, Raster } from "../../assets/studio/plane/raster.mjs";
import { RowGrid } from "../../assets/studio/plane/row_grid.mjs";
import { fits } from "../../assets/studio/rows/row_layer.mjs";

test("a row is found by its number, and one that is not drawn is not", () => {
  const numbers = Int32Array.of(2, 3, 7, 90);
  assert.deepEqual([2, 7, 90, 1, 4, 91].map((row) => positionOf(numbers, row)), [0, 2, 3, -1, -1, -1]);
});

const ROWS = { numbers: Int32Array.of(1, 2, 3, 4), classes: Uint16Array.of(0, 0, 1, 1), heldOut: Uint8Array.of(0, 1, 0, 1) };
const STYLES = [
  { meta: { kind: "train", class: 0 }, marker: { color: "rgba(0, 114, 178, 0.8)", symbol: "circle" } },
  { meta: { kind: "train", class: 1 }, marker: { color: "#d55e00", symbol: "square" } },
];
const ALL = { classes: null, rows: null };
const ALL_DRAWN = { labeled: true, unlabeled: true };
const looksOf = ({ marks, looks }) => [...marks].map((mark) => looks[mark]);

test("a row has the color and the shape of its class, open where it is held out", () => {
  const looks = looksOf(dressOf(ROWS, STYLES, { colors: null, symbols: null }, ALL, ALL_DRAWN));
  assert.deepEqual(looks.map(({ symbol }) => symbol), ["circle", "circle-open", "square", "square-open"]);
  assert.deepEqual(looks[0].color, [0, 114, 178]);
  assert.deepEqual(looks[3].color, [213, 94, 0]);
});

test("a row has the color of a column while its shape stays that of the class", () => {
  const colors = { palette: ["#000000", "#ffffff"], codes: Uint8Array.of(1, 0, 1, 0) };
  const looks = looksOf(dressOf(ROWS, STYLES, { colors, symbols: null }, ALL, ALL_DRAWN));
  assert.deepEqual(looks.map(({ color: [red] }) => red), [255, 0, 255, 0]);
  assert.equal(looks[2].symbol, "square");
});

test("rows that are not singled out are faint", () => {
  const weights = (chosen) => looksOf(dressOf(ROWS, STYLES, { colors: null, symbols: null }, chosen, ALL_DRAWN)).map(({ weight }) => weight < 1);
  assert.deepEqual(weights({ classes: [1], rows: null }), [true, true, false, false]);
  assert.deepEqual(weights({ classes: null, rows: new Set([2, 3]) }), [true, false, false, true]);
});

test("rows without a class are gray, and lie below those that have one", () => {
  const rows = { ...ROWS, classes: Uint16Array.of(0, 2, 1, 2), heldOut: new Uint8Array(4) };
  const lookOf = (drawn = ALL_DRAWN) => looksOf(dressOf(rows, STYLES, { colors: null, symbols: null }, ALL, drawn));
  const [, second] = lookOf();
  assert.deepEqual(second.color, colorParts(UNLABELED_COLOR));
  assert.equal(second.symbol, "circle");
  const dress = dressOf(rows, STYLES, { colors: null, symbols: null }, ALL, ALL_DRAWN);
  const parts = partsOf(dress).map((part) => looksOf(part).map(({ weight }) => weight > 0));
  assert.deepEqual(parts, [[true, false, true, false], [false, true, false, true]]);
  assert.equal(partsOf(dressOf(ROWS, STYLES, { colors: null, symbols: null }, ALL, ALL_DRAWN)).length, 1);
  assert.deepEqual(lookOf({ labeled: false, unlabeled: true }).map(({ weight }) => weight > 0), [false, true, false, true]);
  assert.deepEqual(lookOf({ labeled: true, unlabeled: false }).map(({ weight }) => weight > 0), [true, false, true, false]);
});

test("colors are read as the server writes them", () => {
  assert.deepEqual(colorParts("#0072b2"), [0, 114, 178]);
  assert.deepEqual(colorParts("rgba(1, 22, 133, 0.8)"), [1, 22, 133]);
});

const grid = () => {
  const random = ((seed) => () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647)(7);
  const [x, y] = [0, 1].map(() => Float32Array.from({ length: 500 }, () => 4 * random() - 1));
  return { x, y, found: new RowGrid(x, y, [[0, 1], [0, 1]]) }; // most rows lie beyond the box
};

test("the sorted rows are the same rows", () => {
  const { x, y, found } = grid();
  assert.deepEqual([...found.order].sort((a, b) => a - b), [...x.keys()]);
  for (const [at, row] of found.order.entries()) assert.deepEqual([found.x[at], found.y[at]], [x[row], y[row]]);
});

test("the nearest row is that of a search of all rows", () => {
  const { x, y, found } = grid();
  for (const point of [[0.5, 0.5], [-0.9, 2.9], [0.01, 0.99], [1, 0]]) {
    const distance = (row) => ((x[row] - point[0]) / 0.3) ** 2 + ((y[row] - point[1]) / 0.2) ** 2;
    const [best] = [...x.keys()].filter((row) => row % 2).sort((a, b) => distance(a) - distance(b));
    const nearest = found.nearest(point, [0.3, 0.2], (row) => row % 2 === 1);
    assert.equal(nearest, distance(best) <= 1 ? best : null);
  }
  assert.equal(found.nearest([9, 9], [0.1, 0.1], () => true), null);
});

test("a polygon holds the rows inside its outline alone", () => {
  const { x, y, found } = grid();
  const inTriangle = (row) => x[row] > 0 && y[row] > 0 && x[row] + y[row] < 2;
  const rows = found.within([[0, 0], [2, 0], [0, 2]]).sort((a, b) => a - b);
  assert.deepEqual(rows, [...x.keys()].filter(inTriangle));
});

test("a mark covers its pixel, and the ring of a held-out row leaves its middle out", () => {
  const share = (pixels, right, down) => pixels.find((pixel) => pixel[0] === right && pixel[1] === down)?.[2] ?? 0;
  for (const shape of ["circle", "square", "diamond", "triangle-up", "triangle-down"]) {
    assert.equal(share(footprint(shape, 2.4), 0, 0), 1);
    assert.ok(share(footprint(`${shape}-open`, 2.4), 0, 0) < 0.5, shape);
  }
});

const LOOKS = [
  { color: [255, 0, 0], symbol: "square", weight: 1, isBelow: false },
  { color: [0, 0, 255], symbol: "square", weight: 1, isBelow: false },
];
const AXES = { x: { offset: 0, scale: 1 }, y: { offset: 20, scale: -1 } };
const drawn = (raster, x, y, marks) => {
  const pixels = raster.draw({ x: Float32Array.from(x), y: Float32Array.from(y) }, { marks: Uint16Array.from(marks), looks: LOOKS }, AXES, 1);
  return (column, line) => [...pixels.slice(4 * (line * 20 + column), 4 * (line * 20 + column) + 4)];
};

test("a row alone has its color, and crowded rows are more opaque than it", () => {
  const at = drawn(new Raster(20, 20), [4.5, ...Array(50).fill(14.5)], [9.5, ...Array(50).fill(9.5)], Array(51).fill(0));
  const [[red, , blue, alone], [, , , crowd]] = [at(4, 10), at(14, 10)];
  assert.deepEqual([red, blue], [255, 0]);
  assert.equal(alone, Math.floor(255 * aloneOpacity(50)));
  assert.ok(crowd > 2 * alone - 40 && crowd > alone);
  assert.deepEqual(at(9, 2), [0, 0, 0, 0]);
});

test("rows of two classes in a pixel mix, in whatever order they come", () => {
  const mixed = [[0, 0, 0, 1], [1, 0, 0, 0]].map((marks) => drawn(new Raster(20, 20), Array(4).fill(4.5), Array(4).fill(9.5), marks)(4, 10));
  assert.deepEqual(mixed[0], mixed[1]);
  assert.deepEqual(mixed[0].slice(0, 3), [191, 0, 63]);
});

test("hidden rows are left out, and the marks of the others are as large as without them", () => {
  const [x, y] = [[4.5, ...Array(6_000).fill(14.5)], Array(6_001).fill(9.5)];
  const marks = [0, ...Array(6_000).fill(1)];
  const looks = [LOOKS[0], { ...LOOKS[1], weight: 0 }];
  const points = { x: Float32Array.from(x), y: Float32Array.from(y) };
  const pixels = new Raster(20, 20).draw(points, { marks: Uint16Array.from(marks), looks }, AXES, 1);
  const alone = new Raster(20, 20).draw({ x: Float32Array.of(4.5), y: Float32Array.of(9.5) }, { marks: Uint16Array.of(0), looks }, AXES, 1);
  assert.deepEqual(pixels, alone);
});

test("the same marks are drawn by the looks that they have now", () => {
  const points = { x: Float32Array.of(4.5, 14.5), y: Float32Array.of(9.5, 9.5) };
  const draw = (marks, looks) => new Raster(20, 20).draw(points, { marks, looks }, AXES, 1);
  const [marks, first] = [Uint16Array.of(0, 1), [LOOKS[0], { ...LOOKS[1], symbol: "circle" }]];
  draw(marks, first);
  const faint = [{ ...first[0], weight: 0 }, { ...first[1], color: [0, 255, 0] }];
  assert.deepEqual(draw(marks, faint), draw(marks.slice(), faint));
});

test("rows beyond the picture are left out, and what was drawn before is gone", () => {
  const raster = new Raster(20, 20);
  drawn(raster, [4.5], [9.5], [0]);
  const at = drawn(raster, [-3, 25, 5, 19.9], [5, 5, 90, 0.1], [0, 0, 0, 0]);
  assert.deepEqual(at(4, 10), [0, 0, 0, 0]);
  assert.ok(at(19, 19)[3] > 0);
});

test("positions of all rows are those of a plane where its sample is among them", () => {
  const figure = { plane: { data: [STYLES[0], { meta: { kind: "held_out", class: 0 } }] }, rows: [[1, 3], [4]] };
  const points = { x: Float32Array.of(0, 1, 2, 3), y: Float32Array.of(5, 6, 7, 9) };
  const planeOf = (x, y) => ({ traces: [{ x, y }, { x: [3], y: [9] }] });
  const fitting = (x, y, n = 2) => fits(planeOf(x, y), figure, ROWS, points, n);
  assert.ok(fitting([0, 2.0005], [5, 7]));
  assert.ok(!fitting([0, 2.1], [5, 7]));
  assert.ok(!fitting([0, 2], [5, 6]));
  assert.ok(fitting([0, 2], [5, 6], 1)); // of a line, heights say nothing
});
