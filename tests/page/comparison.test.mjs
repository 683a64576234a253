// The file of the open table of Compare.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { addEventListener() {} };
const { tableFile } = await import("../../assets/studio/panel/comparison.mjs");

test("a table of all runs names them all", () => {
  assert.equal(tableFile("table", ["a", "b"], null, null, null), "compare/table.csv?run=a&run=b");
  assert.equal(tableFile("table", ["a"], null, null, null), "compare/table.csv?run=a");
});

test("the movers are those between two different runs", () => {
  assert.equal(tableFile("movers", ["a", "b", "c"], "c", "a", null), "compare/movers.csv?run=c&run=a");
  assert.equal(tableFile("movers", ["a", "b"], "a", "a", null), null);
});

test("what is not there has no file", () => {
  assert.equal(tableFile(null, ["a", "b"], "a", "b", "r"), null);
  assert.equal(tableFile("agreement", ["a"], null, null, null), null);
  assert.equal(tableFile("ranking", ["a", "b"], null, null, null), null);
  assert.equal(tableFile("ranking", [], null, null, "r"), "runs/r/ranking.csv");
});
