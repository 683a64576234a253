// A panel is a copy of the template, adapted to its run.
import assert from "node:assert/strict";
import { test } from "node:test";

const axes = () => ["Component 1", "Component 2", "Density"].map((textContent) => ({ textContent }));
const title = { textContent: "" };
let drawn; // the titles of the axes of the copy
const copy = () => {
  drawn = axes();
  return { querySelectorAll: (selector) => (selector === "[data-axis]" ? drawn : []), querySelector: () => title };
};
globalThis.document = /** @type {any} */ ({
  getElementById: () => ({ content: { cloneNode: copy } }),
  createElement: () => ({ dataset: {}, setAttribute: () => undefined, append: () => undefined }),
});
const { nodeFor } = await import("../../assets/studio/panel/panels.mjs");

test("the axes of a nonlinear projection, which has no components, bear its name", () => {
  const titlesOf = (projection) => {
    nodeFor(/** @type {any} */ ({ run: "a", label: "", title: "", has: "flat", projection }));
    return drawn.map(({ textContent }) => textContent);
  };
  assert.deepEqual(titlesOf(""), axes().map(({ textContent }) => textContent));
  assert.deepEqual(titlesOf("t-SNE"), ["t-SNE 1", "t-SNE 2", "Density"]);
});
