// The screen stays blank until the presenter shows it again, or leaves Present.
import assert from "node:assert/strict";
import { test } from "node:test";

const attributes = new Set();
const body = { dataset: {}, removeAttribute: (name) => attributes.delete(name) };
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { body }));
const { connectKeys } = await import("../../assets/studio/present/keys.mjs");
const { mode } = await import("../../assets/studio/page/mode.mjs");
const { bringToFront } = await import("../../assets/studio/panel/runs.mjs");

test("a run that comes to the front does not show a screen that was blanked", () => {
  connectKeys(() => undefined);
  mode.set("present");
  attributes.add("data-blank");
  bringToFront("another");
  assert.ok(attributes.has("data-blank"));
  mode.set("explore");
  assert.ok(!attributes.has("data-blank"));
});
