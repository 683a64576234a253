// View options: the query that asks for a plane, and what the page reads from it.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  DEFAULT_VIEW,
  isAsFound,
  isOwnPlane,
  morphIn,
  viewQuery,
  withEdit,
} from "../../assets/studio/panel/view_options.mjs";
import { gammaAt } from "../../assets/studio/page/settings.mjs";
import { modeIn } from "../../assets/studio/workspace/share_link.mjs";

test("the default view needs no query", () => {
  assert.equal(viewQuery(DEFAULT_VIEW, null).toString(), "");
});

test("a query holds every option that is set, and no other", () => {
  const options = { ...DEFAULT_VIEW, gamma: 0.5, n_top_features: 4, morph: ["r1", 0.25], view_angle: [0.5, -1] };
  const query = decodeURIComponent(viewQuery(options, "r2"));
  assert.equal(query, "gamma=0.5&n_top_features=4&morph=r1:0.25&view_angle=0.5:-1&toward=r2");
});

test("edits are in the query in the order in which they were made", () => {
  const edits = [[3, 0.1, 0.2], [0, -1, 0]];
  assert.equal(viewQuery({ ...DEFAULT_VIEW, edits }, null).get("edits"), "3:0.1:0.2,0:-1:0");
});

test("the morph of an address is what its query says", () => {
  const query = viewQuery({ ...DEFAULT_VIEW, morph: ["run-1", 0.125] }, null);
  assert.deepEqual(morphIn(`7?${query}`), { other: "run-1", share: 0.125 });
  assert.equal(morphIn("7?gamma=2"), null);
  assert.equal(morphIn("7"), null);
});

test("another kernel width leaves the plane that of the run, but not as found", () => {
  const options = { ...DEFAULT_VIEW, gamma: 2 };
  assert.ok(isOwnPlane(options));
  assert.ok(!isAsFound(options));
});

test("top features, edits and a morph make another plane", () => {
  for (const change of [{ n_top_features: 3 }, { morph: ["r", 0.5] }, { edits: [[0, 1, 1]] }]) {
    assert.ok(!isOwnPlane({ ...DEFAULT_VIEW, ...change }));
  }
});

test("a view angle alone leaves a plane as found", () => {
  assert.ok(isAsFound({ ...DEFAULT_VIEW, view_angle: [1, 0] }));
});

test("a feature that is set again replaces its last edit; another one is added", () => {
  const once = withEdit([], [2, 0.1, 0.1]);
  assert.deepEqual(withEdit(once, [2, 0.5, 0]), [[2, 0.5, 0]]);
  assert.deepEqual(withEdit(once, [1, 0.5, 0]), [[2, 0.1, 0.1], [1, 0.5, 0]]);
});

test("a kernel width has three significant digits", () => {
  assert.equal(gammaAt(0), 1);
  assert.equal(gammaAt(Math.log10(0.123456)), 0.123);
  assert.equal(gammaAt(1.2345), 17.2);
});

test("only the modes of the page are taken from an address", () => {
  assert.equal(modeIn("?mode=present&gamma=1"), "present");
  assert.equal(modeIn("?mode=other"), null);
  assert.equal(modeIn(""), null);
});

test("another weight of batches makes another plane, and is in its query", () => {
  const options = { ...DEFAULT_VIEW, batch_weight: 0 };
  assert.ok(!isOwnPlane(options));
  assert.equal(viewQuery(options, null).toString(), "batch_weight=0");
});
