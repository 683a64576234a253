// Signals: who watches a value is told of other values alone, once for all changes that belong together.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { batch, computed, onChange, once, signal } from "../../assets/studio/page/signals.mjs";

/** What a watcher was told. @param {any} source */
function told(source) {
  const values = [];
  return { values, end: onChange(source, (value) => values.push(value)) };
}

test("an equal value is no change", () => {
  const count = signal(1);
  const { values } = told(count);
  for (const value of [1, 2, 2, NaN, NaN]) count.set(value);
  assert.deepEqual(values, [2, NaN]);
});

test("changes of a batch are told once, when all are made", () => {
  const [one, other] = [signal(1), signal(1)];
  const { values } = told([one, other]);
  const seen = [];
  onChange(one, () => seen.push(other.value));
  batch(() => {
    one.set(2);
    batch(() => other.set(2));
    assert.deepEqual(values, []);
  });
  assert.deepEqual(values, [[2, 2]]);
  assert.deepEqual(seen, [2]);
});

test("what is changed back within a batch is no change", () => {
  const value = signal(1);
  const { values } = told([value]);
  const alone = told(value);
  batch(() => {
    value.set(2);
    value.set(1);
  });
  assert.deepEqual([values, alone.values], [[], []]);
});

test("a batch that fails has told what it changed, and leaves later changes alone", () => {
  const value = signal(1);
  const { values } = told(value);
  const failing = () =>
    batch(() => {
      value.set(2);
      throw new Error("no");
    });
  assert.throws(failing, /no/);
  value.set(3);
  assert.deepEqual(values, [2, 3]);
});

test("a computed value is never of an old and a new source", () => {
  const base = signal(1);
  const twice = computed([base], (value) => 2 * value);
  const pairs = [];
  const both = computed([base, twice], (value, double) => {
    pairs.push([value, double]);
    return double - value;
  });
  const { values } = told(both);
  base.set(2);
  base.set(5);
  assert.deepEqual(values, [2, 5]);
  assert.deepEqual(pairs, [[1, 2], [2, 4], [5, 10]]);
});

test("a computed value is computed when it is read, and only after another source", () => {
  const base = signal(1);
  let n = 0;
  const next = computed([base], (value) => (n += 1) && value + 1);
  assert.equal(n, 0);
  for (let i = 0; i < 3; i += 1) assert.equal(next.value, 2);
  assert.equal(n, 1);
  base.set(4);
  assert.equal(next.value, 5);
  assert.equal(n, 2);
});

test("a computed value that stays the same is not told", () => {
  const number = signal(1);
  const { values } = told(computed([number], (value) => value > 2));
  for (const value of [2, 3, 4]) number.set(value);
  assert.deepEqual(values, [true]);
});

test("a watcher that changes another value does not tell the others late or twice", () => {
  const [from, to] = [signal(0), signal(0)];
  onChange(from, (value) => to.set(value));
  const { values } = told([from, to]);
  from.set(1);
  assert.deepEqual(values.at(-1), [1, 1]);
  assert.equal(new Set(values.map(String)).size, values.length);
});

test("a watcher that fails does not keep the others from being told", () => {
  const complaint = mock.method(console, "error", () => undefined);
  const value = signal(0);
  onChange(value, () => {
    throw new Error("broken");
  });
  const { values } = told(value);
  value.set(1);
  complaint.mock.restore();
  assert.deepEqual(values, [1]);
  assert.equal(complaint.mock.callCount(), 1);
});

test("who no longer watches is told nothing, even of a change that is under way", () => {
  const value = signal(0);
  const late = { values: [] };
  onChange(value, () => late.end?.());
  Object.assign(late, told(value));
  value.set(1);
  assert.deepEqual(late.values, []);
});

test("who no longer watches is held by nothing", () => {
  const source = signal(0);
  const [held] = source.watchers;
  const through = computed([computed([source], (value) => value), source], (one, other) => one + other);
  const ends = [onChange(source, () => null), onChange(through, () => null), onChange([source, through], () => null)];
  assert.equal(held.size, 3);
  for (const end of ends) end();
  assert.equal(held.size, 0);
});

test("who waits for something goes on once it holds, and is then told nothing more", async () => {
  const [one, other] = [signal(1), signal(2)];
  let hasGoneOn = false;
  const waiting = once([one, other], (a, b) => a === b).then(() => (hasGoneOn = true));
  one.set(3);
  await Promise.resolve();
  assert.equal(hasGoneOn, false);
  other.set(3);
  await waiting;
  assert.deepEqual([...one.watchers[0], ...other.watchers[0]], []);
  await once([one, other], (a, b) => a === b); // what holds already is not waited for
});
