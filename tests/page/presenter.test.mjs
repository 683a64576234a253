// What the presenter's window is sent.
import assert from "node:assert/strict";
import { test } from "node:test";

import { elapsedLabel, shownViews } from "../../assets/studio/workspace/story_order.mjs";

const views = ["a", "b", "c"].map((title) => ({ title, caption: "", view: { mode: "explore" } }));
const titles = ({ current, next }) => [current?.title, next?.title];

test("before a story begins, its first view is the next", () => {
  assert.deepEqual(titles(shownViews({ views, at: -1 })), [undefined, "a"]);
});

test("the view on screen has the one after it beside it, the last has none", () => {
  assert.deepEqual(titles(shownViews({ views, at: 1 })), ["b", "c"]);
  assert.deepEqual(titles(shownViews({ views, at: 2 })), ["c", undefined]);
});

test("without a story nothing is sent but that", () => {
  assert.deepEqual(shownViews({ views: [], at: -1 }), { at: -1, count: 0, current: null, next: null });
});

test("the clock counts minutes and seconds", () => {
  assert.deepEqual([0, 999, 61_000, 3_600_000].map(elapsedLabel), ["0:00", "0:00", "1:01", "60:00"]);
});
