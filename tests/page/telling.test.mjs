// Stories, morphs and messages: the order of views, the steps of a morph, what is said of rows.
import assert from "node:assert/strict";
import { test } from "node:test";

import { morphShares } from "../../assets/studio/present/morph.mjs";
import { drawnRows } from "../../assets/studio/rows/row_layer.mjs";
import { classesMessage, selectionMessage } from "../../assets/studio/rows/selection.mjs";
import { toggled } from "../../assets/studio/rows/selection.mjs";
import { positionAfter, positionLabel } from "../../assets/studio/workspace/story_order.mjs";

const views = ["a", "b", "c"];

test("a story begins at its first view, whichever way it is stepped", () => {
  assert.equal(positionAfter({ views, at: -1 }, 1), 0);
  assert.equal(positionAfter({ views, at: -1 }, -1), 0);
});

test("a story ends at its last view and does not go before its first", () => {
  assert.equal(positionAfter({ views, at: 1 }, 1), 2);
  assert.equal(positionAfter({ views, at: 2 }, 1), null);
  assert.equal(positionAfter({ views, at: 0 }, -1), null);
  assert.equal(positionAfter({ views: [], at: -1 }, 1), null);
});

test("the label counts the views until the first one is shown", () => {
  assert.equal(positionLabel({ views, at: -1 }), "3 views");
  assert.equal(positionLabel({ views: ["a"], at: -1 }), "1 view");
  assert.equal(positionLabel({ views, at: 1 }), "2 of 3");
});

test("a morph goes to an end, always onwards", () => {
  for (const [from, to] of [[0, 1], [0.4, 1], [0.4, 0], [1, 0]]) {
    const shares = morphShares(from, to, 1);
    assert.equal(shares.at(-1), to);
    const steps = shares.map((share, i) => Math.sign(share - (shares[i - 1] ?? from)));
    assert.deepEqual(new Set(steps), new Set([Math.sign(to - from)]));
  }
});

test("twice the speed takes half the steps", () => {
  assert.equal(morphShares(0, 1, 2).length, morphShares(0, 1, 1).length / 2);
});

const figure = {
  classes: ["cat", "dog"],
  plane: { data: [{ meta: { kind: "held_out", class: 1 } }, { meta: { kind: "train", class: 0 } }, { meta: { kind: "train", class: 1 } }] },
  rows: [[7], [1, 2], [3, 4]],
};

test("selected rows are counted by class, wherever their trace stands", () => {
  const message = (rows) => selectionMessage(figure.classes, drawnRows(figure), new Set(rows));
  assert.equal(message([1, 3, 7]), "3 rows selected: 1 cat, 2 dog");
  assert.equal(message([2, 9]), "2 rows selected: 1 cat"); // one is not drawn
});

test("classes that are shown alone are named", () => {
  assert.equal(classesMessage(figure, [1]), "Only dog is shown");
  assert.equal(classesMessage(figure, [0, 1]), "Only cat and dog are shown");
});

test("a class is put in by its code, and taken out again", () => {
  assert.deepEqual(toggled([2], 0), [0, 2]);
  assert.deepEqual(toggled([0, 2], 2), [0]);
});
