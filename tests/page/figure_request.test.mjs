// A figure for print is requested as the panels are on screen.
import assert from "node:assert/strict";
import { test } from "node:test";

import { panelRequest } from "../../assets/studio/workspace/figure_dialog.mjs";

const PANEL = {
  run: "r1",
  plane: { sequence: 7 },
  arrowLimit: Infinity,
  query: () => new URLSearchParams("gamma=0.5&toward=r2"),
  painting: { axes: () => [[-1, 1], [0, 2]], isZoomed: () => false },
};

test("a panel is requested with its plane, view options and axes", () => {
  assert.deepEqual(panelRequest(PANEL, { classes: null, rows: null, colorBy: null, shapeBy: null }), {
    run: "r1",
    plane: 7,
    view: { gamma: "0.5", toward: "r2" },
    limits: [[-1, 1], [0, 2]],
    marks_outside: true,
    n_arrows: null,
    color_by: null,
    shape_by: null,
    classes: null,
    rows: null,
  });
});

test("a selection and a limit of arrows are part of the request", () => {
  const shown = { classes: [1], rows: new Set([4, 2]), colorBy: "dose", shapeBy: null };
  const request = panelRequest({ ...PANEL, arrowLimit: 3 }, shown);
  assert.deepEqual([request.n_arrows, request.classes, request.rows], [3, [1], [4, 2]]);
  assert.equal(request.color_by, "dose");
});
