// Every row of a large table in its first look, under the contours, in place of the sample.
import { pixelAxes } from "../drawing/plotly.mjs";
import { requested } from "../page/answers.mjs";
import { element } from "../page/dom.mjs";
import { unpackedPoints, unpackedRows } from "./answers.mjs";
import { dressOf } from "./dress.mjs";
import { Raster } from "./raster.mjs";
import { RowGrid } from "./row_grid.mjs";
import { drawGridBelow, fitted, sizeIn } from "./under_canvas.mjs";

const NO_COLUMNS = { colors: null, symbols: null };
const ALL = { classes: null, rows: null };

/** What the server answers of a first look. @typedef {{ figure: any, limits: import("../types").Axes }} Found */

/**
 * Asks where every row is.
 * @param {object} shown the data
 * @param {HTMLElement} plot
 * @param {Found} found
 */
export async function everyRow(shown, plot, found) {
  const bytes = async (address) => (await requested(address, shown)).arrayBuffer();
  const points = unpackedPoints(await bytes("preview/every-point"));
  const rows = unpackedRows(await bytes("preview/every-row"));
  return new FirstLook(plot, found, rows, points);
}

class FirstLook {
  constructor(plot, { figure, limits }, rows, points) {
    this.plot = plot;
    this.grid = new RowGrid(points.x, points.y, limits);
    const { marks, looks } = dressOf(rows, figure.data, NO_COLUMNS, ALL);
    this.dress = { marks: Uint16Array.from(this.grid.order, (row) => marks[row]), looks };
    this.canvas = /** @type {HTMLCanvasElement} */ (element("canvas", "row-layer"));
    plot.before(this.canvas);
  }

  /**
   * Draws the rows, and the grid below them.
   * @param {import("../types").DrawnAxes} drawn in pixels of the figure
   * @param {object} layout
   */
  draw(drawn, layout) {
    const { x: across, y: up } = pixelAxes(this.plot, layout);
    const { density, width, height } = sizeIn(across, up);
    const { pen, axes } = fitted(this.canvas, drawn, [across, up]);
    const pixels = new Raster(width, height).draw(this.grid, this.dress, axes, density);
    pen.putImageData(new ImageData(pixels, width, height), 0, 0);
    drawGridBelow(pen, axes, density, [across, up]);
  }

  dispose() {
    this.canvas.remove();
  }
}
