// A walk along a branch of the tree ends where something else is to be shown.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

class Page extends EventTarget {
  body = { dataset: {} };
  getElementById() {
    return { textContent: "" };
  }
  querySelector() {
    return null;
  }
}

globalThis.document = /** @type {any} */ (new Page());
const keys = new EventTarget();
globalThis.window = /** @type {any} */ (keys);
const { walkAlong } = await import("../../assets/studio/analyses/walk.mjs");
const { mode } = await import("../../assets/studio/page/mode.mjs");
const { bringToFront } = await import("../../assets/studio/panel/runs.mjs");
const { currentStory } = await import("../../assets/studio/workspace/story.mjs");

const TREE = /** @type {any} */ ({ run: "t", planes: [2, 1].map((gamma, plane) => ({ plane, gamma, words: "" })) });
const BRANCH = /** @type {any} */ ({ letter: "A", planes: [1, 0] });

let nChanges, panel;
beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  nChanges = 0;
  panel = /** @type {any} */ ({
    plane: {},
    gamma: 4,
    options: {},
    history: { player: { pause: () => undefined } },
    changeView: async () => (nChanges += 1),
  });
});
afterEach(() => mock.timers.reset());

async function step() {
  mock.timers.tick(2000);
  await new Promise((resolve) => setImmediate(resolve));
}

for (const [what, act] of /** @type {[string, () => unknown][]} */ ([
  ["a key", () => keys.dispatchEvent(new Event("keydown", { cancelable: true }))],
  ["a step of the story in the presenter’s window", () => currentStory.set({ ...currentStory.value, at: 0 })],
  ["another mode", () => mode.set("present")],
  ["another run", () => bringToFront("another")],
])) {
  test(`${what} ends a walk`, async () => {
    walkAlong(panel, TREE, BRANCH);
    await step();
    assert.ok(nChanges > 0);
    act();
    const before = nChanges;
    for (let i = 0; i < 3; i += 1) await step();
    assert.equal(nChanges, before);
    assert.equal(keys.dispatchEvent(new Event("keydown", { cancelable: true })), true); // keys act again
  });
}
