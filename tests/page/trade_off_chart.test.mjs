// The chart of what it costs to keep batches out of a picture.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SIZE, tradeOffLines } from "../../assets/studio/analyses/trade_off_chart.mjs";

const POINTS = [
  { weight: 0, accuracy: 0.8, batch_accuracy: 0.5, batch_chance: 0.3 },
  { weight: 4, accuracy: 0.7, batch_accuracy: 0.3, batch_chance: 0.3 },
];

test("the best accuracy is at the top, the lowest of all values at the bottom", () => {
  const { classes, batches, guesses, ends } = tradeOffLines(POINTS, 0.5);
  assert.ok(classes.startsWith(`M${SIZE.left}.0 ${SIZE.top}.0L`));
  assert.ok(batches.endsWith(`${SIZE.width - SIZE.right}.0 ${SIZE.height - SIZE.bottom}.0`));
  assert.equal(guesses.length, 2);
  assert.deepEqual(ends.map(({ text }) => text), ["30 %", "80 %"]);
});

test("weights are spaced evenly", () => {
  const ticks = tradeOffLines([...POINTS, { ...POINTS[1], weight: 8 }], 0.5).ticks;
  assert.deepEqual(ticks.map(({ text }) => text), ["0", "4", "8"]);
  assert.equal(ticks[1].x - ticks[0].x, ticks[2].x - ticks[1].x);
});

test("equal values give a line, not a division by zero", () => {
  const flat = POINTS.map((point) => ({ ...point, accuracy: 0.5, batch_accuracy: 0.5, batch_chance: 0.5 }));
  assert.ok(!tradeOffLines(flat, 0.5).classes.includes("NaN"));
});
