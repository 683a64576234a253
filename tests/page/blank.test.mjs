// The screen stays blank until the presenter shows it again, or leaves Present.
import assert from "node:assert/strict";
import { test } from "node:test";

const attributes = new Set();
const body = { dataset: {}, removeAttribute: (name) => attributes.delete(name) };
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { body }));
const { connectKeys } = await import("../../assets/studio/present/keys.mjs");
const { update } = await import("../../assets/studio/state.mjs");

test("a run that comes to the front does not show a screen that was blanked", () => {
  connectKeys(() => undefined);
  update({ mode: "present" }, "mode");
  attributes.add("data-blank");
  update({ front: "another" }, "mode");
  assert.ok(attributes.has("data-blank"));
  update({ mode: "explore" }, "mode");
  assert.ok(!attributes.has("data-blank"));
});
