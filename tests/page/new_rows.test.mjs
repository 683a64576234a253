// New rows are placed in a panel at rest while another one still moves.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

const element = () => ({ after: () => undefined, append: () => undefined, replaceChildren: () => undefined });
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { createElement: element }));
globalThis.DOMParser = /** @type {any} */ (class {
  parseFromString = () => ({ body: { childNodes: [] } });
});
const requested = [];
globalThis.fetch = /** @type {any} */ (async (address) => {
  requested.push(address.split("/")[1]);
  return { ok: true, json: async () => ({ report: { headline: "", confusion: [] } }) };
});

const { addNewRowsButtons } = await import("../../assets/studio/rows/new_rows_buttons.mjs");
const { placedFile, placeFile } = await import("../../assets/studio/rows/singled_out.mjs");
const { place } = await import("../../assets/studio/rows/new_rows.mjs"); // else loaded with the first new rows
const { extend } = await import("../../assets/studio/panel/features.mjs");

function panelOf(run) {
  const node = Object.assign(new EventTarget(), { querySelector: element });
  const panel = { run, node, plane: { sequence: 0 }, isFinal: true, part: element, isShown: () => true };
  return /** @type {any} */ ({ ...panel, query: () => new URLSearchParams(), paint: async () => undefined });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a panel that is painted again and again does not keep another one waiting", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  addNewRowsButtons();
  const [still, moving] = [panelOf("still"), panelOf("moving")];
  for (const panel of [still, moving]) extend(panel);
  placeFile({ key: "k", name: "more.csv" });
  still.node.dispatchEvent(new Event("panel:painted"));
  for (let i = 0; i < 5; i += 1) {
    moving.node.dispatchEvent(new Event("panel:painted"));
    await settled();
    mock.timers.tick(100);
  }
  await settled();
  mock.timers.reset();
  assert.deepEqual(requested, ["still"]);
});

test("of two files that are dropped one after the other, the newest stays", async () => {
  const answers = [];
  globalThis.window = /** @type {any} */ ({ dash_clientside: { set_props: () => undefined } });
  Object.assign(globalThis.document, { querySelector: () => null, getElementById: () => null });
  globalThis.fetch = /** @type {any} */ (
    (address) =>
      address === "upload"
        ? new Promise((resolve) => answers.push((name) => resolve({ ok: true, json: async () => ({ key: name, name }) })))
        : Promise.resolve({ ok: true, json: async () => ({ report: { headline: "", confusion: [] } }) })
  );
  const panel = panelOf("one");
  const [older, newer] = ["older.csv", "newer.csv"].map((name) => place(panel, new File(["x"], name)));
  answers[1]("newer.csv");
  await newer;
  answers[0]("older.csv");
  await older;
  assert.equal(placedFile.value.name, "newer.csv");
});
