// The boxes in the dialog of a talk say what viewers see, also where a change was refused.
import assert from "node:assert/strict";
import { after, mock, test } from "node:test";


const parts = new Map();
const part = (selector) => parts.get(selector) ?? parts.set(selector, { replaceChildren: () => undefined }).get(selector);
const box = /** @type {any} */ ({ dataset: { allow: "names" } });
const dialog = {
  querySelector: part,
  querySelectorAll: () => [box],
  showModal: () => undefined,
};
const page = {
  getElementById: (id) => (id === "notice" ? notice : dialog),
  querySelector: () => null,
};
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), page));
const notice = { textContent: "" };
const notices = [];
globalThis.window = /** @type {any} */ ({ dash_clientside: { set_props: (_, { children }) => notices.push(children) } });
const kept = new Map();
globalThis.Image = /** @type {any} */ (class {});
Object.defineProperty(globalThis, "localStorage", {
  value: {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  },
});

const TALK = { link: "http://x/follow/1", code: "", typed: "ABC234", is_only_here: false, expires_s: 0, viewers: 0, names: true };
const REFUSAL = "This talk has ended.";
let talk = TALK;
globalThis.fetch = /** @type {any} */ (async (address) => {
  if (address === "talk/allowed") return { ok: false, status: 410, json: async () => ({ words: REFUSAL }) };
  return { ok: true, json: async () => ({ talk }) };
});

const { makeChanges } = await import("../../assets/studio/page/dash.mjs");
const { openTalkDialog } = await import("../../assets/studio/present/talk.mjs");
const { changeTalk, resumeTalk } = await import("../../assets/studio/present/talk.mjs");
makeChanges(); // Dash is there
after(() => {
  talk = null;
  return changeTalk("/end"); // and its timer
});

test("viewers without a camera are told what to type, and where", async () => {
  await openTalkDialog();
  assert.equal(part('[data-talk="typed"]').textContent, "Or to type: x/follow  ·  ABC 234");
});

test("a box whose change is refused is as before", async () => {
  await openTalkDialog();
  assert.equal(box.checked, true);
  box.checked = false;
  box.onchange();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(part('[data-talk="words"]').textContent, REFUSAL);
  assert.equal(box.checked, true);
});

test("a talk that is over says why, in the dialog and on the page", async () => {
  const words = part('[data-talk="words"]');
  let clock = 0;
  for (const [lasts, hasExpired] of /** @type {[number, boolean][]} */ ([[0, true], [7200, false]])) {
    talk = null;
    await changeTalk("/end"); // with the timer of the clock
    mock.timers.enable({ apis: ["setInterval"] });
    const later = mock.method(performance, "now", () => (clock += 1e6));
    talk = { ...TALK, expires_s: Date.now() / 1000 + lasts };
    await resumeTalk();
    words.textContent = "";
    talk = null;
    mock.timers.tick(150); // no panel is shown: the presenter's page asks for the talk
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.reset();
    later.mock.restore();
    assert.equal(/time is up/.test(words.textContent), hasExpired, words.textContent);
    assert.equal(notices.at(-1), words.textContent);
    assert.match(words.textContent, /Use Share to begin another/);
  }
});

test("a page that is loaded after its talk has expired says so, once", async () => {
  kept.set("melm-talk", String(Date.now() / 1000 - 10));
  notices.length = 0;
  await resumeTalk();
  await resumeTalk();
  assert.equal(notices.length, 1);
  assert.match(notices[0], /time is up/);
});

test("a talk that begins takes back what was said of the one before it", async () => {
  talk = TALK;
  await changeTalk("");
  assert.equal(notices.at(-1), null);
});
