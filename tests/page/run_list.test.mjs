// The list of runs: the newest answer is shown, whichever comes first, and none of other data.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

globalThis.window = /** @type {any} */ ({});
const { connectRunList, followRevision, runList, takeList } = await import("../../assets/studio/panel/run_list.mjs");

const tick = () => new Promise((resolve) => setTimeout(resolve));
const listOf = (revision, ...runs) => ({ revision, panels: runs.map((run) => ({ run })) });
const shownRuns = () => runList.value.panels.map(({ run }) => run);

/** The lists that were asked for, each to be answered. @type {{ of: string, answer: (list: any) => Promise<unknown> }[]} */
let asked = [];
globalThis.fetch = /** @type {any} */ (
  (_, { body }) => new Promise((resolve) => asked.push({ of: body, answer: (list) => (resolve({ ok: true, json: async () => list }), tick()) }))
);
connectRunList();
const { setData } = /** @type {any} */ (globalThis.window).dash_clientside.studio;
let nTables = 0;
let data;
beforeEach(async () => {
  asked = [];
  data = { id: (nTables += 1) };
  setData(data);
  await asked[0].answer(listOf(`${nTables}`));
});

test("data are listed as they are chosen", () => {
  assert.deepEqual(asked.map(({ of }) => of), [JSON.stringify(data)]);
  assert.deepEqual([runList.value.data, shownRuns()], [data, []]);
});

test("only another revision is asked for, and once", async () => {
  followRevision(`${nTables}`);
  followRevision(undefined);
  assert.equal(asked.length, 1);
  followRevision("next");
  followRevision("next");
  assert.equal(asked.length, 2);
  await asked[1].answer(listOf("next", "a"));
  assert.deepEqual(shownRuns(), ["a"]);
});

test("data of which the list could not be had are listed with the next news", async () => {
  const warned = console.warn;
  console.warn = () => undefined;
  setData({ id: "others" });
  await asked[1].answer(null);
  console.warn = warned;
  followRevision(`${nTables}`);
  await asked[2].answer(listOf(`${nTables}`, "b"));
  assert.deepEqual(shownRuns(), ["b"]);
});

test("a list of before that arrives after that of Run is not shown", async () => {
  followRevision("next");
  await takeList(data, Promise.resolve(listOf("run", "a")));
  await asked[1].answer(listOf(`${nTables}`));
  assert.deepEqual(shownRuns(), ["a"]);
  await asked[2].answer(listOf("run", "a")); // to be sure
  assert.deepEqual(shownRuns(), ["a"]);
});

test("a run whose list is overtaken by one of before it is listed all the same", async () => {
  let answer;
  const run = takeList(data, new Promise((resolve) => (answer = resolve)));
  takeList(data, Promise.resolve(listOf(`${nTables}`)));
  await tick();
  answer(listOf("run", "a"));
  await run;
  await asked[1].answer(listOf("run", "a"));
  assert.deepEqual(shownRuns(), ["a"]);
});

test("a run of data that are no longer shown is not listed among those that are", async () => {
  let answer;
  const run = takeList(data, new Promise((resolve) => (answer = resolve)));
  setData({ id: "others" });
  await asked[1].answer(listOf("others", "b"));
  answer(listOf("run", "a"));
  await run;
  assert.deepEqual(shownRuns(), ["b"]);
});
