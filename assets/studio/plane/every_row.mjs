// Every row of a plane on a canvas under its figure, with the grid below the rows.
import { element } from "../page/dom.mjs";
import { arraysIn } from "./arrays.mjs";
import { drawGrid } from "./canvas.mjs";
import { dressOf, partsOf } from "./dress.mjs";
import { ticksOn } from "./pixel_axes.mjs";
import { Raster } from "./raster.mjs";
import { RowGrid } from "./row_grid.mjs";

const MOST_PIXELS = 2_500_000;

let raster = new Raster(1, 1); // for all pictures, which are mostly of one size
/** @type {HTMLCanvasElement | null} */
let below = null;

/** The rows of a plane that does not move. */
export class EveryRow {
  /**
   * @param {HTMLElement} plot
   * @param {Rows} rows
   * @param {Points} points
   * @param {Axes} limits that hold most rows
   * @param {DrawnRows} [drawn]
   */
  constructor(plot, rows, points, limits, drawn = { labeled: true, unlabeled: true }) {
    this.plot = plot;
    this.rows = rows;
    this.points = points;
    this.limits = limits;
    this.drawn = drawn;
    this.canvas = /** @type {HTMLCanvasElement} */ (element("canvas", "row-layer"));
    /** @type {RowGrid | undefined} */
    this.sorted = undefined;
    this.dressedBy = []; // what of the view
    this.drawnAs = "";
  }

  /** The rows by place, once they are needed so. @returns {RowGrid} */
  get grid() {
    return (this.sorted ??= new RowGrid(this.points.x, this.points.y, this.limits));
  }

  /**
   * Draws the rows, and the grid below them, where they are not drawn already.
   * @param {DrawnAxes} axes in pixels of the figure
   * @param {{ x: PixelAxis, y: PixelAxis }} pixels
   * @param {Pick<View, "figure" | "classes" | "rows" | "columns">} view
   */
  draw(axes, pixels, { figure, classes, rows, columns }) {
    const dressedBy = [figure, classes, rows, columns];
    const isDressed = dressedBy.every((part, i) => part === this.dressedBy[i]) && this.dress;
    const drawnAs = JSON.stringify([axes, pixels, window.devicePixelRatio]);
    if (isDressed && drawnAs === this.drawnAs) return true;
    if (!isDressed) {
      const { colors, symbols } = columns;
      const byColumns = { colors: colors?.every ?? null, symbols: symbols?.every ?? null };
      this.dress = this.grid.sorted(dressOf(this.rows, figure.data, byColumns, { classes, rows }, this.drawn));
    }
    Object.assign(this, { dressedBy, drawnAs });
    if (!this.canvas.isConnected) this.plot.before(this.canvas);
    drawRows(this.canvas, this.grid, this.dress, axes, pixels);
    return true; // the grid is there
  }

  dispose() {
    this.canvas.remove();
  }
}

/**
 * Draws rows, those without a class below the others, and the grid below them.
 * @param {HTMLCanvasElement} canvas which is laid over the axes of the figure
 * @param {RowGrid} grid
 * @param {Dress} dress in its order
 * @param {DrawnAxes} drawn in pixels of the figure
 * @param {{ x: PixelAxis, y: PixelAxis }} pixels
 */
function drawRows(canvas, grid, dress, drawn, { x, y }) {
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
