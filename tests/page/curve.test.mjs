// The curve of a run: where starts begin, where records are, and which trace shows what.
import assert from "node:assert/strict";
import { test } from "node:test";

import { accuracyTraces, breakIndices, divergenceTraces, objectiveTraces, rangeOf, recordIndices, startIndices, valueRange } from "../../assets/studio/panel/curve.mjs";

const styles = ["band", "steps", "best", "held_out", "starts", "records"].map((kind) => ({
  meta: { kind },
  mode: "lines",
  line: { color: kind, shape: "hv" },
}));

const byKind = (traces) => Object.fromEntries(traces.map((trace) => [trace.meta.kind, trace]));

test("every start but the first is marked where it begins", () => {
  assert.deepEqual(startIndices([0, 0, 1, 1, 2]), [2, 4]);
  assert.deepEqual(startIndices([3, 3, 4]), [2]);
  assert.deepEqual(startIndices([]), []);
});

test("starts that run in parallel are marked once each", () => {
  assert.deepEqual(startIndices([0, 1, 0, 1, 2, 0]), [1, 4]);
});

test("a record is the last event of a climb of the best value", () => {
  assert.deepEqual(recordIndices([1, 1, 2, 3, 3, 3, 4], []), [3, 6]);
  assert.deepEqual(recordIndices([5, 5, 5], []), []);
});

test("the objective is drawn by the kind of the trace, whatever the order of the traces", () => {
  const events = { sequences: [0, 1, 2], objective: [1, 3, 2], best: [1, 3, 3], starts: [0, 0, 1], n_sampled: [0, 0, 0], held_out: [[0, 0.25], [1, 0.5]] };
  for (const order of [styles, [...styles].reverse()]) {
    const traces = byKind(objectiveTraces(order, events));
    assert.deepEqual(traces.steps.y, [1, 3, 2]);
    assert.deepEqual(traces.best.y, [1, 3, 3]);
    assert.deepEqual([traces.held_out.x, traces.held_out.y], [[0, 1, 2], [0.25, 0.5, 0.5]]);
    assert.deepEqual([traces.starts.x, traces.starts.y], [[2], [2]]);
    assert.deepEqual([traces.records.x, traces.records.y], [[1], [3]]);
  }
});

test("once the refits are done, the held-out line is the mean of the folds, in their band", () => {
  const events = { sequences: [0, 1], objective: [1, 3], best: [1, 3], starts: [0, 0], n_sampled: [0, 0], held_out: [] };
  const folds = { x: [0.5, 1], mean: [1, 2], lower: [0.5, 1], upper: [1.5, 3] };
  const { held_out: line, band } = byKind(objectiveTraces(styles, events, folds));
  assert.deepEqual([line.x, line.y], [[0.5, 1], [1, 2]]);
  assert.deepEqual([band.x, band.y], [[0.5, 1, 1, 0.5], [0.5, 1, 3, 1.5]]);
  const [low, high] = valueRange(events, folds);
  assert.ok(low < 1 && high > 3);
});

test("a change of the rows is a break of the curve, no fall, no rise and no record", () => {
  for (const later of [[0.9, 0.95], [1.3, 1.35]]) {
    const values = [1.1, 1.2, ...later];
    const events = { sequences: [0, 1, 2, 3], objective: values, best: values, starts: [0, 0, 0, 0], n_sampled: [2000, 2000, 0, 0], held_out: [] };
    const { steps, best, records } = byKind(objectiveTraces(styles, events));
    for (const line of [steps, best]) assert.deepEqual([line.x, line.y], [[0, 1, 2, 2, 3], [1.1, 1.2, NaN, ...later]]);
    assert.deepEqual(records.x, [1, 3]);
  }
});

test("a search that begins anew over the same rows is a break too", () => {
  assert.deepEqual(breakIndices([1, 2, 1.5, 1.6], [0, 0, 0, 0]), [2]);
  assert.deepEqual(breakIndices([], []), []);
});

test("drawing leaves the styles as they are", () => {
  objectiveTraces(styles, { sequences: [0], objective: [1], best: [1], starts: [0], n_sampled: [0], held_out: [] });
  assert.ok(styles.every((style) => !("x" in style)));
});

test("a divergence by kernel width is a straight line for training rows, and one for held-out rows", () => {
  const [train, heldOut] = divergenceTraces(styles, [0, 1], [2, 3], [null, 1]);
  assert.deepEqual([train.y, train.line.shape], [[2, 3], "linear"]);
  assert.deepEqual([heldOut.meta.kind, heldOut.y], ["held_out", [null, 1]]);
});

test("held-out accuracy by kernel width has a band, and a mark at the recommended width", () => {
  const path = { gammas: [10, 1, 0.1], accuracies: [0.75, 0.5, 0.25], standard_errors: [0.25, 0, 0], n_folds: 5, chosen: 1 };
  const marked = styles.map((style) => ({ ...style, marker: {} }));
  const { band, held_out: line, records } = byKind(accuracyTraces(marked, path));
  assert.deepEqual([line.x, line.y], [[1, 0, -1], [0.75, 0.5, 0.25]]);
  assert.deepEqual([band.x, band.y], [[1, 0, -1, -1, 0, 1], [0.5, 0.5, 0.25, 0.25, 0.5, 1]]);
  assert.deepEqual([records.x, records.y], [[0], [0.5]]);
});

test("the axis holds the best values and cuts the falls where starts begin", () => {
  const objective = Array.from({ length: 100 }, (_, i) => (i % 20 < 2 ? 0.1 : 7 + 0.01 * (i % 20)));
  const best = objective.map((_, i) => Math.max(...objective.slice(0, i + 1)));
  const [low, high] = valueRange({ sequences: [], objective, best, starts: [], n_sampled: [], held_out: [[99, 6.5]] });
  assert.ok(low > 5 && low < 6.5);
  assert.ok(high > 7.19 && high < 7.6);
});

test("a curve of one value has a span", () => {
  const [low, high] = valueRange({ sequences: [0], objective: [0], best: [0], starts: [0], n_sampled: [0], held_out: [] });
  assert.ok(low <= 0 && high >= 0 && high >= low);
});

test("the range of traces holds their values with room, and has a length even for one value", () => {
  const [low, high] = rangeOf([{ y: [1, null, 3] }, { y: [2] }]);
  assert.ok(low < 1 && high > 3 && high - low < 3);
  const [below, above] = rangeOf([{ y: [0] }]);
  assert.ok(below < 0 && above > 0);
  assert.deepEqual(rangeOf([{ y: [] }]), [0, 1]);
});
