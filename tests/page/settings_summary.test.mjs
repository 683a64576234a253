// The folded settings in a few words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { summarizeSettings } from "../../assets/studio/page/settings.mjs";

test("counts are in the singular and plural", () => {
  assert.equal(summarizeSettings("1", 14, false, 25, "straight"), ": 1 component, 14 starts, 25 % held out");
});

test("starts are left out where a method takes none", () => {
  assert.equal(summarizeSettings("2", 14, true, 0, "straight"), ": 2 components, 0 % held out");
});

test("features that bend, or may, are mentioned", () => {
  assert.equal(summarizeSettings("2", 14, true, 0, "curved"), ": 2 components, curved, 0 % held out");
  assert.equal(summarizeSettings("2", 14, true, 0, "auto"), ": 2 components, curved or straight, 0 % held out");
});
