// Answers of the server: the names of files.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fileName } from "../../assets/studio/page/answers.mjs";

test("a file has the name of the header, whichever way it is written there", () => {
  assert.equal(fileName("attachment; filename=plane.csv"), "plane.csv");
  assert.equal(fileName('attachment; filename="a plane.csv"; size=3'), "a plane.csv");
  assert.equal(fileName("attachment; filename=_.pdf; filename*=UTF-8''%CE%B3%201.pdf"), "γ 1.pdf");
  assert.equal(fileName(""), null);
});
