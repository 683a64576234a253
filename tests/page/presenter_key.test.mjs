// A duplicated tab gets a presenter's window of its own; a page that is loaded again keeps its window.
import assert from "node:assert/strict";
import { test } from "node:test";

const stored = new Map();
Object.defineProperty(globalThis, "sessionStorage", {
  value: {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => stored.set(name, value),
    removeItem: (name) => stored.delete(name),
  },
});
globalThis.window = /** @type {any} */ (new EventTarget());
const { keepKey, newKey, takeKey } = await import("../../assets/studio/present/presenter_link.mjs");

test("the storage, which a duplicate copies, has the key only while the page is loaded again", () => {
  const key = newKey();
  keepKey(key);
  assert.equal(stored.size, 0); // what a duplicate gets
  globalThis.window.dispatchEvent(new Event("pagehide"));
  assert.equal(takeKey(), key);
  assert.equal(stored.size, 0);
});

test("a page that the browser had put aside takes its key out again", () => {
  globalThis.window.dispatchEvent(new Event("pagehide"));
  assert.equal(stored.size, 1);
  globalThis.window.dispatchEvent(new Event("pageshow"));
  assert.equal(stored.size, 0);
});
