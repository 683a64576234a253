// What modules share has one owner each, which alone sets it, and who watches it is told as told before.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";


const node = () => ({ hidden: true, querySelector: () => ({ textContent: "" }) });
const page = {
  documentElement: { matches: () => false, querySelectorAll: () => [] },
  getElementById: (id) => (id === "panels" ? null : node()),
  querySelectorAll: () => [],
};
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), page));
globalThis.HTMLElement = /** @type {any} */ (class {});
globalThis.MutationObserver = /** @type {any} */ (class {
  observe() {}
});
globalThis.window = /** @type {any} */ ({});
const { mode } = await import("../../assets/studio/page/mode.mjs");
const { onChange } = await import("../../assets/studio/page/signals.mjs");
const { dragMode, setSwitches, showOnly, switches } = await import("../../assets/studio/page/switches.mjs");
const { bringToFront, forgetEarlier, frontRun, isNewRun, noteStates, runStates, stage } = await import("../../assets/studio/panel/runs.mjs");
const { connectRunList } = await import("../../assets/studio/panel/run_list.mjs");
const { colorColumn, markBy, shapeColumn } = await import("../../assets/studio/rows/marks.mjs");
const { connectSelection } = await import("../../assets/studio/rows/selection.mjs");
const { chosen, isolate, mark, markedRow, placedFile, placeFile, selectedRows, selectRows, shownClasses } = await import("../../assets/studio/rows/singled_out.mjs");

/** How often a watcher is told. @param {any} source */
function counted(source) {
  const count = { n: 0 };
  onChange(source, () => (count.n += 1));
  return count;
}

const STUDIO = fileURLToPath(new URL("../../assets/studio", import.meta.url));
const paths = readdirSync(STUDIO, { recursive: true }).map(String).filter((path) => path.endsWith(".mjs"));
const texts = paths.map((path) => /** @type {const} */ ([path, readFileSync(join(STUDIO, path), "utf-8")]));
const SHARED = /^export const (\w+) = (?:signal|computed)\(/gm;

/** The names that a module imports. @param {string} text */
const importedBy = (text) => [...text.matchAll(/^import \{([^}]*)\} from/gm)].flatMap(([, names]) => names.split(",").map((name) => name.trim()));

/** The signals of other modules that a module sets. @param {string} text @param {Set<string>} shared */
function setElsewhere(text, shared) {
  const set = [...text.matchAll(/\b(\w+)(?:\.\w+|\[\w+\])?\.set\(/g)].map(([, name]) => name);
  return importedBy(text).filter((name) => shared.has(name) && set.includes(name));
}

test("a value that modules share is set by the module that owns it alone", () => {
  const owned = texts.flatMap(([path, text]) => [...text.matchAll(SHARED)].map(([, name]) => [name, path]));
  const shared = new Set(["switches", ...owned.map(([name]) => name)]);
  assert.equal(shared.size, owned.length + 1); // one owner each
  assert.ok(shared.size > 15);
  for (const [path, text] of texts) assert.deepEqual(setElsewhere(text, shared), [], path);
  const foreign = 'import { mode } from "../page/mode.mjs";\nimport { switches } from "../page/switches.mjs";\n';
  assert.deepEqual(setElsewhere(`${foreign}mode.set("compare");\nswitches.names.set(true);`, shared), ["mode", "switches"]);
});

test("no module sends an event to the whole page, or listens to one of the studio", () => {
  for (const [path, text] of texts) assert.doesNotMatch(text, /document\.dispatchEvent|"studio:/, path);
});

test("switches that change together are told once, and the alignment only if it changes", () => {
  const [all, aligned] = [counted(Object.values(switches)), counted(switches.aligned)];
  setSwitches({ names: false, arrows: false });
  assert.deepEqual([all.n, aligned.n], [1, 0]);
  showOnly(["aligned"], ["centroids"]);
  assert.deepEqual([all.n, aligned.n], [2, 1]);
  assert.deepEqual([switches.names.value, switches.centroids.value, dragMode.value], [true, true, "pan"]);
});

test("a run that comes to the front changes the stage, except in Compare", () => {
  const changes = counted(stage);
  bringToFront("a");
  mode.set("compare");
  bringToFront("b");
  assert.equal(changes.n, 2);
  assert.equal(frontRun.value, "b");
  mode.set("explore");
  bringToFront("b");
  assert.equal(changes.n, 3);
});

test("states are told as they change; runs that the first news brought are not new", () => {
  const news = counted(runStates);
  for (let i = 0; i < 2; i += 1) noteStates({ a: "running" });
  assert.equal(news.n, 1);
  noteStates({ a: "done", b: "queued" });
  assert.deepEqual([isNewRun("a"), isNewRun("b")], [false, true]);
  forgetEarlier();
  noteStates({ a: "done", b: "queued" });
  assert.ok(!isNewRun("b"));
});

test("a selection that is cleared again is told once", () => {
  const changes = counted(chosen);
  selectRows([3, 4]);
  selectRows([]);
  selectRows([]);
  isolate([1]);
  isolate([]);
  assert.equal(changes.n, 4);
});

test("another table forgets what belongs to the rows of the one before, all at once", () => {
  connectSelection();
  connectRunList();
  const { setData } = /** @type {any} */ (globalThis.window).dash_clientside.studio;
  const source = (key, recipe) => ({ source: { kind: "upload", key, recipe }, label: null });
  setData(source("first", 1));
  selectRows([1]);
  isolate([0]);
  mark(1);
  markBy("age", "sex");
  placeFile({ key: "k", name: "more.csv" });
  const shared = [selectedRows, shownClasses, markedRow, colorColumn, shapeColumn, placedFile];
  const changes = counted(shared);
  setData(source("first", 2)); // the same table, prepared otherwise
  assert.equal(changes.n, 0);
  setData(source("second", 1));
  assert.equal(changes.n, 1);
  assert.deepEqual(shared.map(({ value }) => value), [null, null, null, null, null, null]);
});
