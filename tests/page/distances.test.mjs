// The dialogs of distances and of features show what they were opened for last, and names as they are.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const parts = new Map();
let drawn, waiting;
const plot = () => ({
  dataset: {},
  setAttribute: () => undefined,
  replaceChildren: () => undefined,
  removeAllListeners: () => undefined,
  on(_, callback) {
    this.click = callback;
  },
});
const part = (selector) => parts.get(selector) ?? parts.set(selector, plot()).get(selector);
const dialog = { querySelector: part, showModal: () => undefined, close: () => undefined };
const page = { getElementById: () => dialog, documentElement: { dataset: {} }, querySelectorAll: () => [] };
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), page));
globalThis.Option = /** @type {any} */ (class {});
globalThis.window = /** @type {any} */ ({
  Plotly: { purge: () => undefined, react: async (_, data, layout) => drawn.push({ data, ...layout }) },
});
globalThis.fetch = /** @type {any} */ ((address) => new Promise((resolve) => waiting.push({ address, resolve })));

const { openFeatures } = await import("../../assets/studio/analyses/features_dialog.mjs");
const { showDistances } = await import("../../assets/studio/analyses/distances.mjs");

const panelOf = (run) => /** @type {any} */ ({ run, plane: { sequence: 0 }, query: () => new URLSearchParams() });
const settled = () => new Promise((resolve) => setImmediate(resolve));
async function answer(at, words) {
  const body = { words, rows: [], figure: { data: words, layout: {} } };
  waiting[at].resolve({ ok: true, json: async () => body });
  await settled();
}

beforeEach(() => {
  drawn = [];
  waiting = [];
});

test("an answer about a run that the dialog was opened for before is dropped", async () => {
  showDistances(panelOf("a"));
  showDistances(panelOf("b"));
  await answer(1, "b");
  await answer(0, "a");
  assert.deepEqual(drawn.map(({ data }) => data), ["b"]);
  assert.equal(part('[data-distances="words"]').textContent, "b");
});

test("the name of a row that is clicked is escaped once", async () => {
  showDistances(panelOf("a"));
  await answer(0, "a");
  part('[data-distances="plot"]').click({ points: [{ customdata: 3, text: "R&amp;D &lt;5", x: 0, y: 0 }] });
  await settled();
  assert.equal(drawn.at(-1).annotations[0].text, "R&amp;D &lt;5");
});

test("an answer about a feature that the dialog was opened for before is dropped", async () => {
  openFeatures("runs/a/features/0");
  openFeatures("runs/a/features/1");
  await answer(1, "second");
  await answer(0, "first");
  assert.equal(part('[data-features="words"]').textContent, "second");
});
