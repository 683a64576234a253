import assert from "node:assert/strict";
import { test } from "node:test";
import { Names } from "../../assets/studio/plane/names.mjs";
import { PLAIN } from "../../assets/studio/plane/painter.mjs";

const font = { size: 12, family: "x", color: "#000" };
const styles = [
  { meta: { kind: "class_names" }, mode: "text", text: ["one"], textfont: font },
  { meta: { kind: "faint_arrows" }, mode: "lines" },
  { meta: { kind: "arrow_lines" }, mode: "lines" },
  { meta: { kind: "arrow_heads" }, mode: "markers+text", marker: { color: "ink" }, textfont: font },
];
const traces = [
  { x: [90], y: [90] },
  { x: [], y: [] },
  { x: [50, 30, null, 50, 70, null], y: [50, 50, null, 50, 52, null] },
  { x: [30, 70], y: [50, 52], marker: { angle: [270, 90] } },
];
const plane = { traces, arrows: { features: [4, 7], names: ["alcalinity_of_ash", "hue"] } };
const pixels = { x: { offset: 0, length: 100 }, y: { offset: 0, length: 100 }, hasEqualUnits: false };

const view = {
  ...PLAIN,
  plane,
  figure: { data: styles, layout: { xaxis: { tickfont: { color: "faint" } } } },
  surface: "white",
};
const namesWith = (change, letter = 3) =>
  new Names({ ...view, ...change }, [[0, 100], [0, 100]], pixels, (name) => letter * name.length);

function dressed(names, kind) {
  const at = styles.findIndex(({ meta }) => meta.kind === kind);
  const trace = { ...styles[at], ...traces[at], marker: { ...styles[at].marker, ...traces[at].marker } };
  names.dress(trace);
  return trace;
}

test("names of arrows stay within the picture, and arrows without room for theirs are not drawn", () => {
  const { text, textposition, halo } = dressed(namesWith({}), "arrow_heads");
  assert.deepEqual(text, ["alcalinity_of_ash", "hue"]);
  assert.ok(!textposition[0].endsWith("left")); // where it would be cut off
  assert.equal(halo, "white");
  assert.deepEqual(dressed(namesWith({}, 30), "arrow_heads").text, []);
});

test("the name of a class at the edge of the picture is written within it, unless the class is outside", () => {
  const at = (x) => namesWith({ plane: { ...plane, traces: [{ x: [x], y: [50] }, ...traces.slice(1)] } }, 10).classBoxes[0];
  assert.deepEqual([at(90), at(5), at(50)].map(({ left, right }) => [left, right]), [[70, 100], [0, 30], [35, 65]]);
  assert.equal(at(120).left, 105);
});

test("a name that would hide every row of its class stands above them", () => {
  const middle = (rows) => {
    const figure = { ...view.figure, data: [...styles, { meta: { kind: "train", class: 0 } }] };
    const [{ top, bottom }] = namesWith({ figure, plane: { ...plane, traces: [{ x: [50], y: [50] }, ...traces.slice(1), rows] } }).classBoxes;
    return (top + bottom) / 2;
  };
  assert.equal(middle({ x: [49, 51], y: [50, 50] }), middle({ x: [49, 90], y: [50, 50] }) - 17);
});

test("a small picture draws the arrows that the large one draws, those and no others, with their names", () => {
  const names = namesWith({ arrows: [4] }, 30);
  assert.deepEqual(names.drawnFeatures(), [4]);
  assert.deepEqual(dressed(names, "arrow_heads").text, ["alcalinity_of_ash"]);
  assert.deepEqual(dressed(names, "arrow_lines").x, [50, 30, null]);
});

test("an arrow without effect has faint ink, name and head alike", () => {
  const names = namesWith({ unseen: [7] });
  assert.deepEqual([dressed(names, "faint_arrows").features, dressed(names, "arrow_lines").features], [[7], [4]]);
  assert.deepEqual(dressed(names, "arrow_heads").textfont.color, ["ink", "faint"]);
});
