// A dialog beside the picture shows the answer to its last request, and does nothing once it is closed.
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";


const part = () => ({
  textContent: "",
  hidden: false,
  dataset: {},
  append: () => undefined,
  focus: () => undefined,
  querySelector: () => null,
  replaceChildren: () => undefined,
  setAttribute: () => undefined,
});

class Dialog {
  open = false;
  parts = new Map();
  show() { this.open = true; }
  close() { this.open = false; }
  addEventListener() {}
  querySelector(selector) {
    if (!this.parts.has(selector)) this.parts.set(selector, part());
    return this.parts.get(selector);
  }
}

const dialogs = { loadings: new Dialog(), "analysis-resamples": new Dialog() };
const loadings = dialogs.loadings;
const drawn = [];
const made = []; // elements, in their order
globalThis.document = /** @type {any} */ ({
  body: { dataset: {} },
  documentElement: { dataset: {} },
  createElement: () => made[made.push(part()) - 1],
  getElementById: (id) => dialogs[id],
});
globalThis.window = /** @type {any} */ ({ Plotly: { react: async (_, data) => drawn.push(data) } });

let changeScheme; // of the dialog that was made last
globalThis.MutationObserver = /** @type {any} */ (class {
  constructor(callback) { changeScheme = callback; }
  observe() {}
});

const { Beside } = await import("../../assets/studio/analyses/beside.mjs");
const { View: Loadings } = await import("../../assets/studio/analyses/loadings_view.mjs");
const { View: Resamples } = await import("../../assets/studio/analyses/resamples_view.mjs");

let waiting; // requests, with what answers them
beforeEach(() => {
  waiting = [];
  drawn.length = 0;
  globalThis.fetch = /** @type {any} */ ((address, { method = "GET" } = {}) =>
    new Promise((resolve) => {
      waiting.push({ address, method, answer: (body) => resolve({ ok: true, json: async () => body }) });
    }));
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
const panelAt = (run, sequence) =>
  /** @type {any} */ ({ run, plane: { sequence }, node: new EventTarget(), part, query: () => new URLSearchParams() });
const found = (plane, isFinal = true) => ({ loadings: { data: plane, layout: {} }, tree: plane, is_final: isFinal });

class Tree extends Beside {
  shown = [];
  show() { this.shown.push(this.found.tree); }
}

test("an answer that comes after a later one is dropped", async () => {
  const view = new Tree(/** @type {any} */ (new Dialog()), "tree");
  view.open(panelAt("a", 0));
  view.load();
  waiting[1].answer(found("second"));
  await settled();
  waiting[0].answer(found("first"));
  await settled();
  assert.deepEqual(view.shown, ["second"]);
});

test("a dialog that is closed before the first answer begins nothing and follows nothing", async () => {
  for (const answer of [{ tree: null }, found("tree", false)]) {
    mock.timers.enable({ apis: ["setTimeout"] });
    waiting = [];
    const view = new Tree(/** @type {any} */ (new Dialog()), "tree");
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
  const view = new Tree(/** @type {any} */ (new Dialog()), "tree");
  changeScheme(); // while the dialog is closed
  assert.equal(waiting.length, 0);
  view.open(panelAt("a", 0));
  waiting[0].answer(found("light"));
  await settled();
  changeScheme();
  waiting[1].answer(found("dark"));
  await settled();
  assert.deepEqual(view.shown, ["light", "dark"]);
});

test("a run that another one took the place of is no longer listened to", () => {
  const view = new Tree(/** @type {any} */ (new Dialog()), "tree");
  let looks = 0;
  view.look = () => (looks += 1);
  const [a, b] = [panelAt("a", 0), panelAt("b", 0)];
  for (const panel of [a, b, a]) view.open(panel);
  a.node.dispatchEvent(new Event("panel:options"));
  b.node.dispatchEvent(new Event("panel:options"));
  assert.equal(looks, 1);
});

test("the dialog of a run that is removed closes, and an answer on its way is dropped", async () => {
  const view = new Tree(/** @type {any} */ (new Dialog()), "tree");
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
  loadings.close();
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
  const resamples = { run: "r", planes: [1, 2], mean: null, labels: ["", ""], note: "", features: [], is_final: true };
  waiting[0].answer(resamples);
  await settled();
  const play = made.find(({ className }) => className === "button is-light");
  const atRest = play.textContent;
  play.onclick();
  assert.notEqual(play.textContent, atRest);
  view.open(/** @type {any} */ (panels[1]));
  assert.deepEqual(changes, [["a", { morph: null }]]);
  assert.equal(play.textContent, "Watch it move");
});
