// Every row of the last plane of a replay, under its figure. Of the others, and while they follow
// each other, plotly draws a sample.
import { PLANE_TRACE } from "../constants.mjs";
import { hide } from "../page/dom.mjs";
import { drawnPixelAxes, isDrawn } from "./plotly.mjs";
import { unpackedPoints } from "./row_arrays.mjs";
import { StillRows } from "./still_rows.mjs";
import { drawnAxes } from "./under_canvas.mjs";

/** Rows of one class that follow each other. @typedef {{ class: number, held_out: boolean, count: number }} Stretch */
/**
 * @typedef {object} Replayed
 * @property {string} points of all rows, packed, in base 64
 * @property {Stretch[]} stretches
 * @property {import("../types").Axes} limits
 * @property {string} last the name of the frame that shows the plane
 */

const UNSEEN = 0.01; // the size of a mark; plotly would leave a trace without marks out of the legend

/**
 * @param {any} plot that plotly has drawn at its last frame
 * @param {Replayed} replayed
 */
export async function drawLastPlane(plot, { points, stretches, limits, last }) {
  const bytes = Uint8Array.from(atob(points), (letter) => letter.charCodeAt(0));
  const rows = new StillRows(plot, { figure: plot, limits }, rowsOf(stretches), unpackedPoints(bytes.buffer));
  const sample = plot.data.flatMap(({ meta }, i) => ([PLANE_TRACE.train, PLANE_TRACE.heldOut].includes(meta?.kind) ? [i] : []));
  const sizes = sample.map((trace) => plot.data[trace].marker.size);
  let isLast = true;
  const draw = () => {
    hide(rows.canvas, !isLast);
    if (isLast && isDrawn(plot)) rows.draw(drawnAxes(plot), drawnPixelAxes(plot));
  };
  const swap = () =>
    window.Plotly.update(plot, { "marker.size": isLast ? UNSEEN : sizes }, { "legend.itemsizing": "constant" }, sample);
  plot.on("plotly_animatingframe", ({ name }) => {
    if (isLast === (name === last)) return;
    isLast = name === last;
    swap();
  });
  for (const event of ["plotly_afterplot", "plotly_relayouting"]) plot.on(event, draw);
  await swap();
}

/** Who the rows of stretches are; nothing asks for their numbers. @param {Stretch[]} stretches */
export function rowsOf(stretches) {
  const count = stretches.reduce((sum, stretch) => sum + stretch.count, 0);
  const rows = { numbers: new Int32Array(count), classes: new Uint16Array(count), heldOut: new Uint8Array(count) };
  let at = 0;
  for (const stretch of stretches) {
    rows.classes.fill(stretch.class, at, at + stretch.count);
    rows.heldOut.fill(Number(stretch.held_out), at, at + stretch.count);
    at += stretch.count;
  }
  return rows;
}
