// What is chosen along a curve: planes are counted from 1 on, and kernel widths stand at their logarithms.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

globalThis.document = /** @type {any} */ ({ activeElement: null });
const { Place } = await import("../../assets/studio/panel/history.mjs");

const input = () => ({
  value: "",
  min: "",
  max: "",
  said: "",
  get valueAsNumber() { return this.value === "" ? NaN : Number(this.value); },
  setAttribute(_, text) { this.said = text; },
});
const parts = { "a-slider": input(), "a-number": input() };
const panel = /** @type {any} */ ({ part: (name) => parts[name] });

/** @type {any} */
let slider;
/** @type {any} */
let field;
let shown;
beforeEach(() => {
  slider = parts["a-slider"] = input();
  field = parts["a-number"] = input();
  shown = [];
});
const typed = (text) => {
  field.value = text;
  field.onchange();
};

test("planes are counted from one, and a number beyond the last means the last", () => {
  const place = new Place(panel, "a", (number) => number - 1, (at) => at + 1, (number) => shown.push(number));
  Object.assign(field, { min: "1" });
  place.extend(9, 10);
  place.show(5, "plane 5 of 10");
  assert.deepEqual([slider.max, slider.value, slider.said, field.value], ["9", "4", "plane 5 of 10", "5"]);
  slider.value = "6";
  slider.oninput();
  for (const text of ["3", "99", "0", ""]) typed(text);
  assert.deepEqual(shown, [7, 3, 10, 1]);
});

test("a kernel width is taken as it is typed, within its bounds", () => {
  const place = new Place(panel, "a", Math.log10, (at) => 10 ** at, (number) => shown.push(number));
  Object.assign(slider, { min: "-1", max: "1" });
  Object.assign(field, { min: "0.1", max: "10" });
  place.show(10, "γ 10");
  assert.deepEqual([slider.value, place.ends], ["1", [-1, 1]]);
  for (const text of ["0.37", "50"]) typed(text);
  assert.deepEqual(shown, [0.37, 10]);
});
