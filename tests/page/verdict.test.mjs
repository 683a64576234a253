// What stands above a picture is read aloud once it stays.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { unbroken } from "../../assets/studio/page/number_text.mjs";
import { spokenOnce } from "../../assets/studio/panel/verdict.mjs";

test("no line ends between a number and what it counts, nor begins with a percent sign", () => {
  const said = "Reached by all 6 starts, 1,074 evaluations, guessing: 33 %, training rows: 100 %";
  assert.deepEqual(unbroken(said).split(" ").filter((part) => /\d$|^%/.test(part)), []);
});

test("a number stays with its error, and a p-value with its sign", () => {
  const parts = unbroken("No. 43 ± 11 % of rows (p = 0.270), p < 0.001.").split(" ").map((part) => part.replace(/\u00a0/g, "_"));
  assert.deepEqual(parts, ["No.", "43_±_11_%", "of", "rows", "(p_=_0.270),", "p_<_0.001."]);
});

test("words that change fifty times are spoken once, and the same words not again", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const said = [];
  const status = { firstChild: null, get textContent() { return said.at(-1) ?? ""; }, set textContent(text) { said.push(text); } };
  const speak = spokenOnce(/** @type {any} */ (status));
  for (let shown = 0; shown < 50; shown += 1) {
    speak(`${shown} %`);
    mock.timers.tick(80);
  }
  for (let at = 0; at < 1000; at += 100) mock.timers.tick(100);
  assert.deepEqual(said, ["49 %"]);
  speak("49 %");
  for (let at = 0; at < 1000; at += 100) mock.timers.tick(100);
  assert.deepEqual(said, ["49 %"]);
  mock.timers.reset();
});
