// What is chosen by a slider is shown, and may be typed, in a field; kernel widths are taken as they are typed.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

globalThis.document = /** @type {any} */ ({ activeElement: null });
const { connectNumber, setSlider } = await import("../../assets/studio/page/dom.mjs");
const { History } = await import("../../assets/studio/panel/history.mjs");

// As much of an input as numbers need; that of a range keeps its value within its bounds.
class Input extends EventTarget {
  #value = "";
  said = "";
  dataset = /** @type {Record<string, string>} */ ({});
  constructor(bounds = {}) {
    super();
    Object.assign(this, { min: "", max: "" }, bounds);
  }
  get value() {
    return this.#value;
  }
  set value(text) {
    const { min, max } = /** @type {any} */ (this);
    this.#value = min === "" ? text : String(Math.min(Math.max(Number(text), min), max));
  }
  get valueAsNumber() {
    return this.value === "" ? NaN : Number(this.value);
  }
  setAttribute(_, text) {
    this.said = text;
  }
}

/** @type {any} */
let slider;
/** @type {any} */
let field;
let shown;
beforeEach(() => {
  [slider, field, shown] = [new Input({ min: "1", max: "10" }), new Input(), []];
  slider.addEventListener("input", () => shown.push(slider.valueAsNumber));
  connectNumber([slider, field]);
});
const typed = (text) => {
  field.value = text;
  field.dispatchEvent(new Event("change"));
};

test("the field says what the slider does, and a number beyond the last means the last", () => {
  setSlider(slider, 5, "plane 5 of 10");
  assert.deepEqual([slider.value, slider.said, field.value], ["5", "plane 5 of 10", "5"]);
  slider.value = "7";
  slider.dispatchEvent(new Event("input"));
  assert.equal(field.value, "7");
  for (const text of ["3", "99", "0"]) typed(text);
  assert.deepEqual([shown, field.value], [[7, 3, 10, 1], "1"]);
});

test("an empty field says the number again that was chosen", () => {
  setSlider(slider, 5, "");
  typed("");
  assert.deepEqual([slider.value, field.value], ["5", "5"]);
});

test("the end of a slider may say another number, and a field that is being typed in is left alone", () => {
  slider.dataset.end = "64";
  setSlider(slider, 10, "all features");
  assert.equal(field.value, "64");
  globalThis.document = /** @type {any} */ ({ activeElement: field });
  setSlider(slider, 4, "4 features");
  assert.equal(field.value, "64");
  globalThis.document = /** @type {any} */ ({ activeElement: null });
});

test("a kernel width is taken as it is typed, within its bounds", () => {
  const panel = { changeGamma: (gamma) => shown.push(gamma) };
  for (const text of ["0.37", "50", "0", ""]) {
    const width = { valueAsNumber: text === "" ? NaN : Number(text), min: "0.1", max: "10" };
    History.prototype.takeWidth.call(/** @type {any} */ ({ panel, width }));
  }
  assert.deepEqual(shown, [0.37, 10, 0.1]);
});
