import assert from "node:assert/strict";
import { test } from "node:test";
import { waitAfter } from "../../assets/studio/present/audience/connection.mjs";
import { Messages } from "../../assets/studio/present/audience/connection.mjs";
import { unpacked } from "../../assets/studio/plane/arrays.mjs";
import { modeInWords, viewOf } from "../../assets/studio/present/audience/talk.mjs";
import { panned } from "../../assets/studio/plane/looking_around.mjs";
import { nearestPoint, PLAIN, tracesOf } from "../../assets/studio/plane/painter.mjs";
import { wordsOf } from "../../assets/studio/present/picture.mjs";

const bytes = (text) => new TextEncoder().encode(text);
const message = (kind, content) => [...bytes(kind), 0, 0, 0, content.length, ...bytes(content)];
const text = (content) => new TextDecoder().decode(content);

test("messages are read wherever they are cut", () => {
  const sent = new Uint8Array([...message("s", "scene"), ...message("a", ""), ...message("p", "picture")]);
  for (let cut = 0; cut <= sent.length; cut += 1) {
    const messages = new Messages();
    const found = [...messages.push(sent.slice(0, cut)), ...messages.push(sent.slice(cut))];
    assert.deepEqual(found.map(({ kind, content }) => kind + text(content)), ["sscene", "a", "ppicture"]);
  }
});

test("what the server compresses is read", async () => {
  const stream = new Blob(['{"number":3}']).stream().pipeThrough(new CompressionStream("gzip"));
  const content = new Uint8Array(await new Response(stream).arrayBuffer());
  assert.deepEqual(await unpacked(content), { number: 3 });
});

test("viewers who lost the server do not all come back at once", () => {
  assert.ok(waitAfter(1, 1) > waitAfter(1, 0));
  assert.ok(waitAfter(20, 1) <= 5000 && waitAfter(20, 0) >= 2500);
});

const trace = (kind, code) => ({ meta: { kind, class: code }, mode: "markers", marker: { size: 5 }, visible: kind !== "class_ellipse" });
const data = [trace("contour", 0), trace("contour", 1), trace("train", 0), trace("train", 1), trace("held_out", 0), trace("held_out", 1), trace("class_ellipse", 0), { meta: { kind: "arrow_lines" } }];
const scene = { names: ["a", "b"], figures: { light: { data } }, surfaces: {}, titles: /** @type {[string, string]} */ (["", ""]), layers: [], rows: null };
const shown = {
  traces: data.map((_, i) => ({ x: [i, i + 1], y: [0, 0] })),
  selected: null,
  classes: null,
  hidden: ["arrows"],
  layers: [],
};
const tracesWith = (change) => tracesOf(/** @type {any} */ ({ ...PLAIN, ...viewOf({ ...shown, ...change }), figure: { data } }));

test("switches and layers are those of the presenter", () => {
  const visible = (change) => tracesWith(change).map((one) => one.visible);
  assert.deepEqual(visible({}), [true, true, true, true, true, true, false, false]);
  assert.deepEqual(visible({ hidden: ["contours"], layers: ["class_ellipses"] }).slice(0, 2), [false, false]);
  assert.equal(visible({ layers: ["class_ellipses"] })[6], true);
});

test("classes that are not shown alone step back", () => {
  const traces = tracesWith({ classes: [1] });
  assert.equal(traces[0].visible, false);
  assert.deepEqual(traces.slice(2, 6).map(({ opacity }) => opacity), [0.1, undefined, 0.1, undefined]);
});

test("over every row, contours have the ink of the axes, in which crowds of a class do not hide them", () => {
  const figure = { data, layout: { font: { color: "ink" } } };
  const linesOver = (every) => tracesOf(/** @type {any} */ ({ ...PLAIN, ...viewOf(shown), figure, every }))[0].line?.color;
  assert.equal(linesOver({ drawn: { labeled: true, unlabeled: true } }), "ink");
  assert.equal(linesOver({ drawn: { labeled: false, unlabeled: true } }), undefined);
});

test("selected rows are found in the traces that draw them", () => {
  const traces = tracesWith({ selected: [[0], [], [1], []] });
  assert.deepEqual(traces.slice(2, 6).map(({ selectedpoints }) => selectedpoints), [[0], [], [1], []]);
});

test("a pointer finds the nearest point that is shown, and no other", () => {
  const traces = tracesWith({ classes: [1] });
  const same = (at) => at;
  assert.equal(nearestPoint(traces, [2.1, 0], same, 0.5), null); // of the class that stepped back
  assert.deepEqual(nearestPoint(traces, [4.1, 0], same, 0.5), { trace: 3, index: 1, at: [4, 0] });
  assert.equal(nearestPoint(traces, [4, 9], same, 5), null);
});

test("a row is named only where the presenter allows it", () => {
  assert.deepEqual(wordsOf(scene, { trace: 4, index: 1 }), ["a, held out"]);
  const rows = [[["x"], ["y"]], [], [[], ["patient 7", "age: 3"]], []];
  assert.deepEqual(wordsOf({ ...scene, rows }, { trace: 4, index: 1 }), ["a, held out", "patient 7", "age: 3"]);
});

test("dragging to the right shows what is on the left", () => {
  assert.deepEqual(panned([[0, 10], [0, 4]], [0.1, -0.5]), [[-1, 9], [2, 6]]);
});

test("a viewer who looks around is told at once that the presenter blanks the screen, and shows it again", () => {
  const [seen, blank, next] = [{ isBlank: false }, { isBlank: true }, { isBlank: false }];
  assert.equal(modeInWords(true, seen, seen), "Following the presenter");
  const said = [seen, blank, next].map((newest) => modeInWords(false, newest, seen));
  assert.deepEqual(said, ["Looking around", "The presenter has blanked the screen", "The presenter has moved on"]);
});
