// The view that an address holds: all that was changed in a picture, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";

import { showOnly } from "../../assets/studio/page/switches.mjs";
import { showView, viewIn, viewText } from "../../assets/studio/panel/tab_history.mjs";
import { DEFAULT_VIEW } from "../../assets/studio/panel/view_options.mjs";

const panelWith = (options, axes = null, isLive = true) => ({
  options: { ...DEFAULT_VIEW, ...options },
  isLive,
  plane: { sequence: 7 },
  painting: { chosenAxes: () => axes },
});

test("a picture as it was found has an empty view", () => {
  assert.equal(viewText(panelWith({})), "");
  assert.deepEqual(viewIn(""), { plane: null, options: { ...DEFAULT_VIEW }, axes: null, hidden: [], layers: [] });
});

test("every option, the axes, the plane and the switches come back from the text", () => {
  const all = {
    gamma: 0.5,
    n_top_features: 4,
    morph: ["r1", 0.25, 3],
    edits: [[3, 0.1, -0.2], [0, -1, 0]],
    view_angle: [0.5, -1],
    batch_weight: 0,
    places: "fitted",
  };
  showOnly(["contours", "names"], ["centroids"]);
  const text = viewText(panelWith(all, [[-1.5, 2], [0, 1e-7]], false));
  showOnly([], []);
  const view = viewIn(text);
  assert.deepEqual(view, { plane: 7, options: all, axes: [[-1.5, 2], [0, 1e-7]], hidden: ["contours", "names"], layers: ["centroids"] });
  assert.equal(viewText(panelWith({})), "");
});

test("what is no view is refused", () => {
  for (const text of ["gamma=wide", "gamma=", "axes=1:2:3", "axes=2:1:0:1", "axes=a:b:c:d", "plane=-1", "plane=1.5", "hidden=toString", "edits=1:x:2"]) {
    assert.throws(() => viewIn(text), RangeError, text);
  }
});

test("of two views that wait for the first picture, only the last is asked for", async () => {
  const node = new EventTarget();
  const asked = [];
  const requests = { sequence: null, request: async (address, options) => void asked.push([address, options.gamma]) };
  const painting = { chosenAxes: () => null, look: () => {} };
  const panel = /** @type {any} */ ({ ...panelWith({}), node, painting, requests, sequence: 7, plane: null, peers: { reference: () => null } });
  panel.addressWith = () => "7?";
  const views = ["gamma=0.5", "gamma=3"].map((text) => showView(panel, text));
  panel.plane = { sequence: 7 };
  node.dispatchEvent(new Event("panel:painted"));
  await Promise.all(views);
  assert.deepEqual(asked, [["7?gamma=3", 3]]);
});

test("the view on screen is asked for again while another is on its way", async () => {
  const asked = [];
  const requests = { sequence: 7, request: async (address) => void asked.push(address) };
  const panel = /** @type {any} */ ({ ...panelWith({}), requests, sequence: 7, peers: { reference: () => null }, addressWith: () => "7?" });
  panel.painting.look = () => {};
  await showView(panel, "");
  assert.deepEqual(asked, ["7?"]);
});
