// Every row of a plane on a canvas under its figure, with the grid below the rows.
import { element } from "../page/dom.mjs";
import { arraysIn } from "./arrays.mjs";
import { drawGrid } from "./canvas.mjs";
import { dressOf, partsOf } from "./dress.mjs";
import { ticksOn } from "./pixel_axes.mjs";
import { Raster } from "./raster.mjs";
import { RowGrid } from "./row_grid.mjs";

const NO_COLUMNS = { colors: null, symbols: null };
const MOST_PIXELS = 2_500_000;

let raster = new Raster(1, 1); // for all pictures, which are mostly of one size
/** @type {HTMLCanvasElement | null} */
let below = null;

/** The rows of a plane that does not move, colored by their classes: of first looks and of replays. */
export class EveryRow {
  /**
   * @param {HTMLElement} plot
   * @param {Rows} rows
   * @param {Points} points
   * @param {Axes} limits that hold most rows
   */
  constructor(plot, rows, points, limits) {
    this.rows = rows;
    /** @type {{ data: Trace[] } | null} */
    this.figure = null; // that the rows are dressed by
    /** @type {number[] | null} */
    this.classes = null;
    this.grid = new RowGrid(points.x, points.y, limits);
    this.canvas = canvasUnder(plot);
  }

  /**
   * Draws the rows, and the grid below them.
   * @param {DrawnAxes} drawn in pixels of the figure
   * @param {{ x: PixelAxis, y: PixelAxis }} pixels
   * @param {{ figure: { data: Trace[] }, classes: number[] | null }} view
   */
  draw(drawn, pixels, { figure, classes }) {
    if (this.figure !== figure || this.classes !== classes) {
      [this.figure, this.classes] = [figure, classes];
      this.dress = this.grid.sorted(dressOf(this.rows, figure.data, NO_COLUMNS, { classes, rows: null }));
    }
    drawRows(this.canvas, this.grid, this.dress, drawn, pixels);
    return true; // the grid is there
  }

  dispose() {
    this.canvas.remove();
  }
}

/** A canvas under a figure. @param {HTMLElement} plot */
export function canvasUnder(plot) {
  const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", "row-layer"));
  plot.before(canvas);
  return canvas;
}

/**
 * Draws rows, those without a class below the others, and the grid below them.
 * @param {HTMLCanvasElement} canvas which is laid over the axes of the figure
 * @param {RowGrid} grid
 * @param {import("./raster.mjs").Dress} dress in its order
 * @param {DrawnAxes} drawn in pixels of the figure
 * @param {{ x: PixelAxis, y: PixelAxis }} pixels
 */
export function drawRows(canvas, grid, dress, drawn, { x, y }) {
  const density = Math.min(window.devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (x.length * y.length)));
  const [width, height] = [x, y].map(({ length }) => Math.max(1, Math.round(length * density)));
  Object.assign(canvas.style, { left: `${x.offset}px`, top: `${y.offset}px`, width: `${x.length}px`, height: `${y.length}px` });
  fit(canvas, width, height);
  if (raster.width !== width || raster.height !== height) raster = new Raster(width, height);
  const within = (axis, { offset }) => ({ offset: density * (axis.offset - offset), scale: density * axis.scale });
  const axes = { x: within(drawn.x, x), y: within(drawn.y, y) };
  const image = (part) => new ImageData(raster.draw(grid, part, axes, density), width, height);
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, width, height);
  const [above, under] = partsOf(dress);
  if (above) pen.putImageData(image(above), 0, 0);
  pen.globalCompositeOperation = "destination-over";
  if (under) {
    below ??= document.createElement("canvas");
    fit(below, width, height);
    below.getContext("2d").putImageData(image(under), 0, 0);
    pen.drawImage(below, 0, 0);
  }
  pen.setTransform(density, 0, 0, density, -density * x.offset, -density * y.offset);
  const box = { left: x.offset, top: y.offset, width: x.length, height: y.length };
  drawGrid(pen, x.gridColor, ticksOn(drawn.x, x), ticksOn(drawn.y, y), box);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.globalCompositeOperation = "source-over";
}

function fit(canvas, width, height) {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
}

/**
 * The rows of a run in the order of the file: number, class, whether held out. Of rows without a class,
 * the class is the number of classes.
 * @typedef {{ numbers: Int32Array, classes: Numbers, heldOut: Numbers }} Rows
 */
/** @typedef {{ x: Float32Array, y: Float32Array }} Points */
/** @typedef {import("./arrays.mjs").Numbers} Numbers */

/** Who the rows are. @param {ArrayBuffer} body @returns {Rows} */
export function rowsIn(body) {
  const { numbers, classes, held_out: heldOut } = arraysIn(body);
  return /** @type {Rows} */ ({ numbers: Int32Array.from(numbers), classes, heldOut });
}

/** Where the rows are. @param {ArrayBuffer} body */
export const pointsIn = (body) => /** @type {Points} */ (arraysIn(body));

/**
 * The position of a row, by its number; -1 where it is not among them.
 * @param {Int32Array} numbers ascending
 * @param {number} row
 */
export function positionOf(numbers, row) {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < row) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === row ? low : -1;
}
