// Every row of a plane that does not move, colored by its class, under a figure: in first looks and in replays.
import { element } from "../page/dom.mjs";
import { dressOf } from "./dress.mjs";
import { Raster } from "./raster.mjs";
import { RowGrid } from "./row_grid.mjs";
import { drawGridBelow, drawRows, fitted, sizeIn } from "./under_canvas.mjs";

const NO_COLUMNS = { colors: null, symbols: null };
const ALL = { classes: null, rows: null };

export class StillRows {
  /**
   * @param {HTMLElement} plot
   * @param {{ figure: any, limits: Axes }} found a figure of the plane, and what holds most rows
   * @param {import("./row_arrays.mjs").Rows} rows
   * @param {import("./row_arrays.mjs").Points} points
   */
  constructor(plot, { figure, limits }, rows, points) {
    this.grid = new RowGrid(points.x, points.y, limits);
    const { marks, looks } = dressOf(rows, figure.data, NO_COLUMNS, ALL);
    this.dress = { marks: Uint16Array.from(this.grid.order, (row) => marks[row]), looks };
    this.canvas = /** @type {HTMLCanvasElement} */ (element("canvas", "row-layer"));
    plot.before(this.canvas);
  }

  /**
   * Draws the rows, and the grid below them.
   * @param {DrawnAxes} drawn in pixels of the figure
   * @param {{ x: PixelAxis, y: PixelAxis }} pixels
   * @returns {boolean} whether the grid is drawn
   */
  draw(drawn, { x: across, y: up }) {
    const { density, width, height } = sizeIn(across, up);
    const { pen, axes } = fitted(this.canvas, drawn, [across, up]);
    pen.clearRect(0, 0, width, height);
    drawRows(pen, new Raster(width, height), this.grid, this.dress, axes, density);
    drawGridBelow(pen, axes, density, [across, up]);
    return true;
  }

  dispose() {
    this.canvas.remove();
  }
}

/** Rows of one class that follow each other. @typedef {{ class: number, held_out: boolean, count: number }} Stretch */

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
