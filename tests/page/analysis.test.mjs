// What was found out is shown as the answer to the last question, and nothing is done once it is closed.
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

class Part extends EventTarget {
  textContent = "";
  firstChild = null;
  hidden = false;
  dataset = {};
  childNodes = [];
  open = true;
  content = { cloneNode: () => null };
  firstElementChild = { after: () => undefined };
  closest = () => this;
  focus = () => undefined;
  querySelectorAll = () => [];
  querySelector(selector) {
    this.parts ??= new Map();
    if (!this.parts.has(selector)) this.parts.set(selector, new Part());
    return this.parts.get(selector);
  }
}

let opened; // the places in the page
globalThis.document = /** @type {any} */ ({
  body: { dataset: {} },
  documentElement: { dataset: {} },
  querySelectorAll: () => opened.filter(({ open }) => open),
  addEventListener: () => undefined,
  getElementById: () => new Part(),
});
globalThis.DOMParser = /** @type {any} */ (class {
  parseFromString = () => ({ body: { childNodes: [] } });
});
const drawn = [];
globalThis.window = /** @type {any} */ ({ Plotly: { react: async (_, data) => drawn.push(data), purge: () => undefined } });

let noteScheme;
globalThis.MutationObserver = /** @type {any} */ (class {
  constructor(callback) { noteScheme = callback; }
  observe() {}
});
function setScheme(scheme) {
  globalThis.document.documentElement.dataset.scheme = scheme;
  noteScheme();
}

const { Analysis, connectColors } = await import("../../assets/studio/analyses/analysis.mjs");
const { Analysis: PlaneAnswer } = await import("../../assets/studio/analyses/plane_answer.mjs");
const { Analysis: Resamples } = await import("../../assets/studio/analyses/resamples.mjs");
const { makeChanges } = await import("../../assets/studio/page/dash.mjs");
const { selectedRows } = await import("../../assets/studio/rows/singled_out.mjs");

let waiting; // requests, with what answers them
beforeEach(() => {
  globalThis.document.documentElement.dataset.scheme = "light";
  waiting = [];
  drawn.length = 0;
  opened = [];
  globalThis.fetch = /** @type {any} */ ((address, { method = "GET" } = {}) =>
    new Promise((resolve) => {
      const answer = (body, ok = true) => resolve({ ok, status: 400, json: async () => body });
      waiting.push({ address, method, answer });
    }));
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
const panelAt = (run, sequence) =>
  /** @type {any} */ ({ run, plane: { sequence }, node: new EventTarget(), part: () => new Part(), query: (asked) => new URLSearchParams(asked) });
const found = (words, isFinal = true) =>
  ({ run: "r", words, title: words, markup: "", figures: { plot: { data: words, layout: {} } }, is_final: isFinal });

class Tree extends Analysis {
  shown = [];
  show() { this.shown.push(this.found.words); }
}
function placeOf(asks) {
  const place = new Part();
  place.dataset = { asks };
  opened.push(place);
  return place;
}
const treeOf = (panel) => new Tree(placeOf("analyses/tree"), panel);

test("an answer that comes after a later one is dropped", async () => {
  const view = treeOf(panelAt("a", 0));
  view.open();
  view.load();
  waiting[1].answer(found("second"));
  await settled();
  waiting[0].answer(found("first"));
  await settled();
  assert.deepEqual(view.shown, ["second"]);
});

test("what is closed before the first answer begins nothing and follows nothing", async () => {
  for (const answer of [{ run: null }, found("tree", false)]) {
    mock.timers.enable({ apis: ["setTimeout"] });
    waiting = [];
    const view = treeOf(panelAt("a", 0));
    view.open();
    view.place.open = false;
    view.rest();
    waiting[0].answer(answer);
    await settled();
    mock.timers.tick(5000);
    await settled();
    mock.timers.reset();
    assert.equal(waiting.length, 1);
  }
});

test("a figure is drawn in the colors of the page, also once they have changed", async () => {
  connectColors();
  const view = treeOf(panelAt("a", 0));
  view.place.open = false;
  setScheme("dark"); // while it is closed
  assert.equal(waiting.length, 0);
  setScheme("light");
  view.place.open = true;
  view.open();
  waiting[0].answer(found("light"));
  await settled();
  setScheme("light"); // as it is
  assert.equal(waiting.length, 1);
  setScheme("dark");
  waiting[1].answer(found("dark"));
  await settled();
  assert.deepEqual(view.shown, ["light", "dark"]);
});

test("an answer about a run that is removed meanwhile is dropped", async () => {
  const panel = panelAt("a", 0);
  const view = treeOf(panel);
  view.open();
  waiting[0].answer(found("tree", false));
  await settled();
  view.load();
  panel.isDisposed = true;
  waiting[1].answer(found("late"));
  await settled();
  assert.deepEqual(view.shown, ["tree"]);
});

test("a choice is asked for with what was chosen before, of this run alone", async () => {
  const [view, other] = ["a", "b"].map((run) => new Analysis(placeOf("analyses/sets"), panelAt(run, 0)));
  view.open();
  view.press(/** @type {any} */ ({ dataset: { choice: "coverage", value: "0.9" } }));
  view.choose("size", "2");
  other.open();
  assert.deepEqual(waiting.map(({ address }) => address), [
    "runs/a/analyses/sets?scheme=light",
    "runs/a/analyses/sets?scheme=light&coverage=0.9",
    "runs/a/analyses/sets?scheme=light&coverage=0.9&size=2",
    "runs/b/analyses/sets?scheme=light",
  ]);
});

test("a run that was found is begun beside this one", async () => {
  const changes = [];
  Object.assign(globalThis.window, { dash_clientside: { set_props: (...change) => changes.push(change) } });
  const view = new Analysis(placeOf("analyses/sparse"), panelAt("a", 0));
  view.open();
  waiting[0].answer(found("13 features"));
  await settled();
  view.press(/** @type {any} */ ({ dataset: { runs: "runs/a/analyses/sparse/3" } }));
  waiting[1].answer({ view: "three" });
  await settled();
  makeChanges();
  assert.deepEqual(changes, [["wanted", { data: { view: "three", quiet: true } }]]);
});

test("loadings are those of the plane on screen, also where it was on screen before they were closed", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const panel = panelAt("a", 3);
  const paint = async () => {
    panel.node.dispatchEvent(new Event("panel:painted"));
    mock.timers.tick(1000);
    await settled();
  };
  const answerLast = async () => {
    waiting.at(-1).answer(found(/planes\/(\d)\/loadings/.exec(waiting.at(-1).address)[1]));
    await settled();
  };
  const view = new PlaneAnswer(placeOf("loadings"), panel);
  view.open();
  await answerLast();
  panel.plane = { sequence: 4 };
  await paint();
  await answerLast();
  view.place.open = false;
  panel.plane = { sequence: 5 };
  await paint();
  view.place.open = true;
  view.open();
  await answerLast();
  panel.plane = { sequence: 4 };
  await paint();
  await answerLast();
  mock.timers.reset();
  assert.deepEqual(drawn, ["3", "4", "5", "4"]);
});

test("the plane that moves is as before once its resamples are closed", async () => {
  const changes = [];
  const panel = /** @type {any} */ ({
    ...panelAt("a", 0),
    options: {},
    history: { player: { pause: () => undefined } },
    peers: { reference: () => null },
    addressWith: () => "",
    requests: { url: () => "" },
    changeView: (change) => changes.push(change),
  });
  const view = new Resamples(placeOf("analyses/resamples"), panel);
  view.open();
  waiting[0].answer({ ...found(""), planes: [1, 2] });
  await settled();
  const play = view.kept("play");
  view.press(play);
  assert.equal(play.textContent, "Stop moving");
  view.rest();
  assert.deepEqual(changes, [{ morph: null }]);
  assert.equal(play.textContent, "Watch it move");
});

test("an answer about what was asked before is dropped, and so is its refusal", async () => {
  const view = new Analysis(placeOf("features/0"), panelAt("a", 0));
  view.open();
  view.place.dataset.asks = "features/1";
  view.open();
  waiting[1].answer(found("second"));
  await settled();
  waiting[0].answer({ words: "No such feature." }, false);
  await settled();
  assert.deepEqual([view.part("words").textContent, drawn], ["second", ["second"]]);
});

test("what is refused is said in its place, where the choices stay, and nothing is begun", async () => {
  const view = new Analysis(placeOf("surface"), panelAt("a", 0));
  view.open();
  waiting[0].answer({ words: "The sides have 0 and 9 rows." }, false);
  await settled();
  assert.equal(view.part("words").textContent, "The sides have 0 and 9 rows.");
  assert.equal(view.content.ariaBusy, "false");
  assert.equal(waiting.length, 1);
});

test("a row whose mark is clicked is selected, and explained", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const view = new PlaneAnswer(placeOf("distances"), panelAt("a", 0));
  view.open();
  let click;
  Object.assign(view.kept("plot"), { removeAllListeners: () => undefined, on: (_, callback) => (click = callback) });
  waiting[0].answer(found("a"));
  await settled();
  click({ points: [{ customdata: 3 }] });
  mock.timers.tick(1000);
  mock.timers.reset();
  assert.deepEqual([...selectedRows.value], [3]);
  assert.match(waiting[1].address, /row=3/);
});
