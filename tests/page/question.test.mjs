// What is asked about a plane: once, and the answer to the last question counts.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

globalThis.window = /** @type {any} */ ({});
const { Question } = await import("../../assets/studio/panel/question.mjs");

/** Addresses that were asked for, and what answers them. @type {[string, (answer: object | Error) => Promise<unknown>][]} */
let asked = [];
/** @type {any[]} */
let told = [];
let address = "";
const tick = () => new Promise((resolve) => setImmediate(resolve));
globalThis.fetch = /** @type {any} */ (
  (where) =>
    new Promise((resolve) => {
      const answer = (json) => (resolve(json instanceof Error ? { status: 400, json: async () => ({ words: json.message }) } : { ok: true, json: async () => json }), tick());
      asked.push([where, answer]);
    })
);
const panel = /** @type {any} */ ({ plane: {}, isDisposed: false, node: new EventTarget() });
const question = () => new Question(panel, () => address, (answer) => told.push(answer));

beforeEach(() => {
  [asked, told, address, panel.plane, panel.isDisposed] = [[], [], "a", {}, false];
});

test("the same is asked once, until it is forgotten", async () => {
  const one = question();
  one.now();
  one.now();
  await asked[0][1]({ n: 1 });
  one.now();
  assert.equal(asked.length, 1);
  one.forget();
  one.now();
  await asked[1][1]({ n: 2 });
  assert.deepEqual(told, [{ n: 1 }, { n: 2 }]);
});

test("an answer that was overtaken says nothing, whichever comes first", async () => {
  const one = question();
  one.now();
  one.now(() => "b");
  await asked[1][1]({ of: "b" });
  await asked[0][1]({ of: "a" });
  assert.deepEqual(told, [{ of: "b" }]);
});

test("what was refused says why, and may be asked again", async () => {
  const one = question();
  one.now();
  await asked[0][1](new Error("Too many rows."));
  assert.deepEqual(told, [{ refusal: "Too many rows." }]);
  one.now();
  assert.equal(asked.length, 2);
});

test("what refits have changed is asked anew", async () => {
  const one = question();
  one.now();
  await asked[0][1]({ n: 1 });
  panel.node.dispatchEvent(new Event("panel:refitted"));
  one.now();
  assert.equal(asked.length, 2);
});

test("nothing is asked without a plane, of a panel that is gone, or where there is no address", () => {
  const one = question();
  panel.plane = null;
  one.now();
  Object.assign(panel, { plane: {}, isDisposed: true });
  one.now();
  panel.isDisposed = false;
  address = "";
  one.now();
  assert.deepEqual(asked, []);
});

test("while planes follow each other nothing is asked, and of the one that stays once", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const one = question();
  for (const next of ["a", "b", "c"]) {
    address = next;
    one.soon();
    t.mock.timers.tick(100);
  }
  t.mock.timers.tick(100);
  assert.deepEqual(asked.map(([where]) => where), ["c"]);
});
