// The field beside the curve takes planes from 1 on, and kernel widths within their bounds.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

class Node {
  children = [];
  listeners = {};
  append(...nodes) { this.children.push(...nodes); }
  replaceChildren(...nodes) { this.children = nodes; }
  addEventListener(name, callback) { this.listeners[name] = callback; }
  get valueAsNumber() { return this.value === "" ? NaN : Number(this.value); }
}

globalThis.document = { createElement: () => new Node(), activeElement: null };
const { PositionField } = await import("../../assets/studio/panel/history.mjs");

let asked, field;
beforeEach(() => {
  asked = [];
  field = new PositionField(new Node(), {
    toPlane: (sequence) => asked.push(["plane", sequence]),
    toGamma: (gamma) => asked.push(["gamma", gamma]),
  });
});

function type(text) {
  field.field.value = text;
  field.field.listeners.change();
}

test("planes are counted from one, and a number beyond the last means the last", () => {
  field.showPlane(4, 9);
  assert.equal(field.field.value, "5");
  assert.equal(field.after.textContent, "of 10");
  for (const text of ["3", "99", "0", ""]) type(text);
  assert.deepEqual(asked, [["plane", 2], ["plane", 9], ["plane", 0]]);
});

test("a kernel width is taken as it is typed, within its bounds", () => {
  field.showGamma(1, { min: 0.1, max: 10 });
  for (const text of ["0.37", "50"]) type(text);
  assert.deepEqual(asked, [["gamma", 0.37], ["gamma", 10]]);
});
