// The boxes in the dialog of a talk say what viewers see, also where a change was refused.
import assert from "node:assert/strict";
import { after, test } from "node:test";

const parts = new Map();
const part = (selector) => parts.get(selector) ?? parts.set(selector, { replaceChildren: () => undefined }).get(selector);
const boxes = [];
const slots = [{ dataset: { allow: "names" }, replaceWith: (box) => boxes.push(box) }];
const dialog = {
  querySelector: part,
  querySelectorAll: (selector) => (selector.startsWith("input") ? boxes : slots),
  showModal: () => undefined,
};
const page = {
  getElementById: () => dialog,
  querySelector: () => null,
  createElement: () => Object.assign(new EventTarget(), { dataset: {} }),
};
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), page));
globalThis.Image = /** @type {any} */ (class {});
Object.defineProperty(globalThis, "localStorage", {
  value: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
});

const TALK = { link: "http://x/follow/1", code: "", is_only_here: false, expires_s: 0, viewers: 0, names: true };
const REFUSAL = "This talk has ended.";
let talk = TALK;
globalThis.fetch = /** @type {any} */ (async (address) => {
  if (address === "talk/allowed") return { ok: false, status: 410, json: async () => ({ words: REFUSAL }) };
  return { ok: true, json: async () => ({ talk }) };
});

const { openTalkDialog } = await import("../../assets/studio/present/talk_dialog.mjs");
const { endTalk } = await import("../../assets/studio/present/talk.mjs");
after(() => {
  talk = null;
  return endTalk(); // and its timer
});

test("a box whose change is refused is as before", async () => {
  await openTalkDialog();
  const [box] = boxes;
  assert.equal(box.checked, true);
  box.checked = false;
  box.dispatchEvent(new Event("change"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(part('[data-talk="words"]').textContent, REFUSAL);
  assert.equal(box.checked, true);
});
