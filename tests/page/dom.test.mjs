// What is written into the page again and again changes it only where it differs.
import assert from "node:assert/strict";
import { test } from "node:test";

import { changeSoon, hide, write } from "../../assets/studio/page/dom.mjs";

// As much of an element as texts need; `nPut` counts the texts that were put in place.
function cell(text) {
  const node = {
    firstChild: null,
    nPut: 0,
    get lastChild() {
      return this.firstChild;
    },
    get textContent() {
      return this.firstChild?.nodeValue ?? "";
    },
    set textContent(value) {
      this.nPut += 1;
      this.firstChild = value ? { nodeType: 3, nodeValue: value } : null;
    },
  };
  node.textContent = text;
  node.nPut = 0;
  return /** @type {any} */ (node);
}

test("a text is written into the one that is there", () => {
  const node = cell("0.1");
  write(node, "0.2");
  assert.deepEqual([node.textContent, node.nPut], ["0.2", 0]);
});

test("an empty element is given a text, and an emptied one has none", () => {
  const node = cell("");
  write(node, "0.2");
  assert.equal(node.textContent, "0.2");
  write(node, "");
  assert.equal(node.firstChild, null);
});

test("what is hidden already is not hidden again", () => {
  const node = { set hidden(value) { assert.fail(`set to ${value}`); }, get hidden() { return true; } };
  hide(/** @type {any} */ (node), true);
});

test("changes that nobody waits for are made together, in their order, and later ones after them", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const made = [];
  changeSoon(() => made.push("first"));
  t.mock.timers.tick(200);
  changeSoon(() => made.push("second"));
  assert.deepEqual(made, []);
  t.mock.timers.tick(100);
  assert.deepEqual(made, ["first", "second"]);
  changeSoon(() => made.push("third"));
  t.mock.timers.tick(300);
  assert.deepEqual(made, ["first", "second", "third"]);
});
