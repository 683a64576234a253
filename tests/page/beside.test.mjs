// What was found out is shown as the answer to the last question, and nothing is done once its dialog is closed.
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

class Part extends EventTarget {
  textContent = "";
  firstChild = null;
  hidden = false;
  dataset = {};
  childNodes = [];
  closest = () => this;
  focus = () => undefined;
  querySelectorAll = () => [];
  querySelector(selector) {
    this.parts ??= new Map();
    if (!this.parts.has(selector)) this.parts.set(selector, new Part());
    return this.parts.get(selector);
  }
}

class Dialog extends Part {
  open = false;
  show() { this.open = true; }
  showModal() { this.open = true; }
  close() { this.open = false; }
}

let dialogs; // by their ids
globalThis.document = /** @type {any} */ ({
  body: { dataset: {} },
  documentElement: { dataset: {} },
  querySelectorAll: () => [],
  addEventListener: () => undefined,
  getElementById: (id) => (dialogs[id] ??= new Dialog()),
});
globalThis.DOMParser = /** @type {any} */ (class {
  parseFromString = () => ({ body: { childNodes: [] } });
});
const drawn = [];
globalThis.window = /** @type {any} */ ({ Plotly: { react: async (_, data) => drawn.push(data), purge: () => undefined } });

let noteScheme; // of the dialog that was made last
globalThis.MutationObserver = /** @type {any} */ (class {
  constructor(callback) { noteScheme = callback; }
  observe() {}
});
function setScheme(scheme) {
  globalThis.document.documentElement.dataset.scheme = scheme;
  noteScheme();
}

const { View: Beside } = await import("../../assets/studio/analyses/beside.mjs");
const { View: Loadings } = await import("../../assets/studio/analyses/loadings_view.mjs");
const { View: Resamples } = await import("../../assets/studio/analyses/resamples_view.mjs");
const { View: Answer } = await import("../../assets/studio/analyses/answer_view.mjs");
const { makeChanges } = await import("../../assets/studio/page/dash.mjs");
const { selectedRows } = await import("../../assets/studio/rows/singled_out.mjs");

let waiting; // requests, with what answers them
beforeEach(() => {
  globalThis.document.documentElement.dataset.scheme = "light";
  waiting = [];
  drawn.length = 0;
  dialogs = {};
  globalThis.fetch = /** @type {any} */ ((address, { method = "GET" } = {}) =>
    new Promise((resolve) => {
      const answer = (body, ok = true) => resolve({ ok, status: 400, json: async () => body });
      waiting.push({ address, method, answer });
    }));
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
const panelAt = (run, sequence) =>
  /** @type {any} */ ({ run, plane: { sequence }, node: new EventTarget(), part: () => new Part(), query: () => new URLSearchParams() });
const found = (words, isFinal = true) =>
  ({ run: "r", words, title: words, markup: "", figures: { plot: { data: words, layout: {} } }, is_final: isFinal });

class Tree extends Beside {
  shown = [];
  constructor() { super("tree"); }
  show() { this.shown.push(this.found.words); }
}

test("an answer that comes after a later one is dropped", async () => {
  const view = new Tree();
  view.open(panelAt("a", 0));
  view.load();
  waiting[1].answer(found("second"));
  await settled();
  waiting[0].answer(found("first"));
  await settled();
  assert.deepEqual(view.shown, ["second"]);
});

test("a dialog that is closed before the first answer begins nothing and follows nothing", async () => {
  for (const answer of [{ run: null }, found("tree", false)]) {
    mock.timers.enable({ apis: ["setTimeout"] });
    waiting = [];
    const view = new Tree();
    view.open(panelAt("a", 0));
    view.close();
    waiting[0].answer(answer);
    await settled();
    mock.timers.tick(5000);
    await settled();
    mock.timers.reset();
    assert.equal(waiting.length, 1);
  }
});

test("a figure is drawn in the colors of the page, also once they have changed", async () => {
  const view = new Tree();
  setScheme("dark"); // while the dialog is closed
  assert.equal(waiting.length, 0);
  setScheme("light");
  view.open(panelAt("a", 0));
  waiting[0].answer(found("light"));
  await settled();
  setScheme("light"); // as it is
  assert.equal(waiting.length, 1);
  setScheme("dark");
  waiting[1].answer(found("dark"));
  await settled();
  assert.deepEqual(view.shown, ["light", "dark"]);
});

test("a run that another one took the place of is no longer listened to", () => {
  const view = new Tree();
  let looks = 0;
  view.look = () => (looks += 1);
  const [a, b] = [panelAt("a", 0), panelAt("b", 0)];
  for (const panel of [a, b, a]) view.open(panel);
  a.node.dispatchEvent(new Event("panel:options"));
  b.node.dispatchEvent(new Event("panel:options"));
  assert.equal(looks, 1);
});

test("the dialog of a run that is removed closes, and an answer on its way is dropped", async () => {
  const view = new Tree();
  const panel = panelAt("a", 0);
  view.open(panel);
  waiting[0].answer(found("tree", false));
  await settled();
  view.load();
  panel.isDisposed = true;
  panel.node.dispatchEvent(new Event("panel:removed"));
  assert.equal(view.dialog.open, false);
  assert.equal(globalThis.document.body.dataset.beside, undefined);
  waiting[1].answer(found("late"));
  await settled();
  assert.deepEqual([view.shown, view.found], [["tree"], null]);
});

test("a choice is asked for until another run is opened", async () => {
  const view = new Beside("sets");
  view.open(panelAt("a", 0));
  view.press(/** @type {any} */ ({ dataset: { choice: "coverage", value: "0.9" } }));
  view.choose("size", "2");
  view.open(panelAt("b", 0));
  assert.deepEqual(waiting.map(({ address }) => address), [
    "runs/a/analyses/sets?scheme=light",
    "runs/a/analyses/sets?scheme=light&coverage=0.9",
    "runs/a/analyses/sets?scheme=light&coverage=0.9&size=2",
    "runs/b/analyses/sets?scheme=light",
  ]);
});

test("the stage has its room again once a run that was found is begun", async () => {
  const changes = [];
  Object.assign(globalThis.window, { dash_clientside: { set_props: (...change) => changes.push(change) } });
  const view = new Beside("sparse");
  view.open(panelAt("a", 0));
  waiting[0].answer(found("13 features"));
  await settled();
  view.press(/** @type {any} */ ({ dataset: { runs: "runs/a/analyses/sparse/3" } }));
  waiting[1].answer({ view: "three" });
  await settled();
  makeChanges();
  assert.deepEqual(changes, [["wanted", { data: { view: "three", quiet: true } }]]);
  assert.equal(view.dialog.open, false);
  assert.equal(globalThis.document.body.dataset.beside, undefined);
});

test("loadings are those of the plane on screen, also where it was on screen before the dialog was closed", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const panel = panelAt("a", 3);
  const paint = async () => {
    panel.node.dispatchEvent(new Event("panel:painted"));
    mock.timers.tick(1000);
    await settled();
  };
  const answerLast = async () => {
    waiting.at(-1).answer(found(new URL(waiting.at(-1).address, "http://x").searchParams.get("plane")));
    await settled();
  };
  const view = new Loadings();
  view.open(panel);
  await answerLast();
  panel.plane = { sequence: 4 };
  await paint();
  await answerLast();
  view.dialog.close();
  panel.plane = { sequence: 5 };
  view.open(panel);
  await answerLast();
  panel.plane = { sequence: 4 };
  await paint();
  await answerLast();
  mock.timers.reset();
  assert.deepEqual(drawn, ["3", "4", "5", "4"]);
});

test("the plane that moves is as before once the resamples of another run are opened", async () => {
  const changes = [];
  const panels = ["a", "b"].map((run) => ({
    ...panelAt(run, 0),
    options: {},
    history: { player: { pause: () => undefined } },
    peers: { reference: () => null },
    addressWith: () => "",
    requests: { url: () => "" },
    changeView: (change) => changes.push([run, change]),
  }));
  const view = new Resamples();
  view.open(/** @type {any} */ (panels[0]));
  waiting[0].answer({ ...found(""), planes: [1, 2] });
  await settled();
  const play = view.kept("play");
  view.press(play);
  assert.equal(play.textContent, "Stop moving");
  view.open(/** @type {any} */ (panels[1]));
  assert.deepEqual(changes, [["a", { morph: null }]]);
  assert.equal(play.textContent, "Watch it move");
});

test("an answer about what was opened before is dropped, and so is its refusal", async () => {
  const view = new Answer();
  view.open(panelAt("a", 0), "runs/a/features/0");
  view.open(panelAt("a", 0), "runs/a/features/1");
  waiting[1].answer(found("second"));
  await settled();
  waiting[0].answer({ words: "No such feature." }, false);
  await settled();
  assert.deepEqual([view.part("title").textContent, view.part("words").textContent, drawn], ["second", "second", ["second"]]);
});

test("what is refused is said beside the picture, where the choices stay, and nothing is begun", async () => {
  const view = new Answer();
  view.open(panelAt("a", 0), "runs/a/surface");
  waiting[0].answer({ words: "The sides have 0 and 9 rows." }, false);
  await settled();
  assert.equal(view.part("words").textContent, "The sides have 0 and 9 rows.");
  assert.equal(view.content.ariaBusy, "false");
  assert.equal(waiting.length, 1);
});

test("a row whose mark is clicked is selected, and explained", async () => {
  const view = new Answer();
  view.open(panelAt("a", 0), "runs/a/planes/0/distances", { row: "" });
  let click;
  Object.assign(view.kept("plot"), { removeAllListeners: () => undefined, on: (_, callback) => (click = callback) });
  waiting[0].answer(found("a"));
  await settled();
  click({ points: [{ customdata: 3 }] });
  assert.deepEqual([...selectedRows.value], [3]);
  assert.match(waiting[1].address, /row=3/);
});
