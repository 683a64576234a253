// The page's modules and folders import in one direction, at every level, also what is loaded later.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ASSETS = fileURLToPath(new URL("../../assets", import.meta.url));
const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm; // types in comments are for the type checker alone
const IMPORT = /\bimport (?:[^"';]+ from )?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/g;

/**
 * The paths of the modules that each module imports, at once or when they are first needed.
 * @param {Record<string, string>} texts of modules by path
 * @returns {Record<string, string[]>}
 */
function importsOf(texts) {
  const entries = Object.entries(texts).map(([path, text]) => {
    const found = [...text.replace(COMMENT, "").matchAll(IMPORT)];
    return [path, found.map(([, now, later]) => normalize(join(dirname(path), now ?? later)))];
  });
  return Object.fromEntries(entries);
}

/**
 * A circle among what each folder holds, at every level of folders, as "panel > rows > panel"; null for none.
 * @param {ReturnType<typeof importsOf>} imports
 */
function circleOfFolders(imports) {
  const levels = new Set(Object.keys(imports).flatMap((path) => folders(path)));
  for (const level of levels) {
    const circle = circleIn(edgesWithin(level, imports));
    if (circle) return circle.join(" > ");
  }
  return null;
}

const folders = (path) => (dirname(path) === "." ? ["."] : [dirname(path), ...folders(dirname(path))]);

// Between the modules and folders of a folder, by their names.
function edgesWithin(level, imports) {
  const edges = new Map();
  for (const [path, targets] of Object.entries(imports)) {
    for (const target of targets) {
      const [from, to] = [path, target].map((end) => childOf(level, end));
      if (from && to && from !== to) edges.set(from, [...(edges.get(from) ?? []), to]);
    }
  }
  return edges;
}

const childOf = (level, path) => {
  const within = relative(level, path);
  return within.startsWith("..") ? null : within.split("/")[0];
};

function circleIn(edges) {
  const done = new Set();
  const visit = (node, way) => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of edges.get(node) ?? []) {
      const circle = visit(next, [...way, node]);
      if (circle) return circle;
    }
    done.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const circle = visit(node, []);
    if (circle) return circle;
  }
  return null;
}

const paths = readdirSync(ASSETS, { recursive: true }).map(String).filter((path) => path.endsWith(".mjs"));
const texts = Object.fromEntries(paths.map((path) => [path, readFileSync(join(ASSETS, path), "utf-8")]));

test("no module or folder of the page imports one that imports it, at any level, now or later", () => {
  assert.equal(circleOfFolders(importsOf(texts)), null);
});

test("every import of the page's modules is of one that is there", () => {
  for (const [path, targets] of Object.entries(importsOf(texts))) {
    for (const target of targets) assert.ok(target in texts, `${path} imports ${target}`);
  }
});

test("a folder that imports back is found, also through a third one, later, and deep inside", () => {
  const back = { "a/one.mjs": 'import { x } from "../b/two.mjs";', "b/two.mjs": 'import { y } from "../c/three.mjs";', "c/three.mjs": "" };
  assert.equal(circleOfFolders(importsOf(back)), null);
  assert.equal(circleOfFolders(importsOf({ ...back, "c/three.mjs": 'import { z } from "../a/four.mjs";' })), "a > b > c > a");
  assert.equal(circleOfFolders(importsOf({ ...back, "c/three.mjs": 'const load = () => import("../a/four.mjs");' })), "a > b > c > a");
  const modules = { "a/one.mjs": 'const load = () => import("./two.mjs");', "a/two.mjs": 'import { x } from "./one.mjs";' };
  assert.equal(circleOfFolders(importsOf(modules)), "one.mjs > two.mjs > one.mjs");
  const deep = { "s/a/one.mjs": 'import { x } from "../b/two.mjs";', "s/b/two.mjs": 'import {\n  y,\n} from "../a/three.mjs";' };
  assert.equal(circleOfFolders(importsOf(deep)), "a > b > a");
  assert.equal(circleOfFolders(importsOf({ "a/one.mjs": '/** @type {import("../b/two.mjs").Two} */', "b/two.mjs": 'import { x } from "../a/one.mjs";' })), null);
});
