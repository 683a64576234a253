// The list of a story, with the presenter's notes, is not on the screen that the audience sees.
import assert from "node:assert/strict";
import { test } from "node:test";


const properties = [];
const page = { documentElement: { matches: () => false, querySelectorAll: () => [] } };
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), page));
globalThis.HTMLElement = /** @type {any} */ (class {});
globalThis.MutationObserver = /** @type {any} */ (class {
  observe() {}
});
globalThis.window = /** @type {any} */ ({ dash_clientside: { set_props: (id, props) => properties.push([id, props]) } });
const { makeChanges } = await import("../../assets/studio/page/dash.mjs");
const { connectStory } = await import("../../assets/studio/workspace/story.mjs");
const { mode } = await import("../../assets/studio/page/mode.mjs");
const { bringToFront } = await import("../../assets/studio/panel/runs.mjs");

test("the story closes when Present begins, and not with every run that comes to the front", () => {
  makeChanges();
  connectStory();
  mode.set("present");
  bringToFront("another");
  assert.deepEqual(properties, [["story-view", { opened: false }]]);
});
