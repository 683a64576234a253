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
const { connectStory, currentStory, toldView } = await import("../../assets/studio/workspace/story.mjs");
const { restoredRun } = await import("../../assets/studio/workspace/share_link.mjs");
const { mode } = await import("../../assets/studio/page/mode.mjs");
const { bringToFront } = await import("../../assets/studio/panel/runs.mjs");

test("the story closes when Present begins, and not with every run that comes to the front", () => {
  makeChanges();
  connectStory();
  mode.set("present");
  bringToFront("another");
  assert.deepEqual(properties, [["story-view", { opened: false }]]);
});

test("title and caption belong to the run of their view alone", () => {
  const views = /** @type {any[]} */ ([{ title: "Grapes", caption: "Three cultivars." }]);
  currentStory.set({ ...currentStory.value, views, at: 0, run: null });
  assert.equal(toldView.value?.title, "Grapes"); // while its run is restored
  bringToFront("wine");
  restoredRun.set({ run: "wine" });
  assert.equal(toldView.value?.title, "Grapes");
  bringToFront("a file of a student");
  assert.equal(toldView.value, null);
  restoredRun.set({ run: "found elsewhere" }); // of no view of the story
  bringToFront("wine");
  assert.equal(toldView.value?.title, "Grapes");
});
