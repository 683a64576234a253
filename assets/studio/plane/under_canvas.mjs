// The canvas under a figure, on which its rows are drawn, and the grid below them.
import { drawGrid } from "./canvas.mjs";
import { partsOf } from "./dress.mjs";
import { multiples } from "./scales.mjs";

const MOST_PIXELS = 2_500_000;

/** The size of the canvas in pixels of the device, and how many of these a pixel of the page has. */
export function sizeIn(across, up) {
  const density = Math.min(window.devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (across.length * up.length)));
  const [width, height] = [across, up].map(({ length }) => Math.max(1, Math.round(length * density)));
  return { density, width, height };
}

/**
 * Lays a canvas over the axes of a figure.
 * @param {HTMLCanvasElement} canvas
 * @param {DrawnAxes} axes in pixels of the figure
 * @param {PixelAxis[]} pixels x and y
 * @returns {{ pen: CanvasRenderingContext2D, axes: DrawnAxes }} the axes in pixels of the canvas
 */
export function fitted(canvas, axes, [across, up]) {
  const { density, width, height } = sizeIn(across, up);
  Object.assign(canvas.style, { left: `${across.offset}px`, top: `${up.offset}px`, width: `${across.length}px`, height: `${up.length}px` });
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const within = (axis, { offset }) => ({ offset: density * (axis.offset - offset), scale: density * axis.scale });
  return { pen: canvas.getContext("2d"), axes: { x: within(axes.x, across), y: within(axes.y, up) } };
}

/** @type {HTMLCanvasElement | null} */
let below = null;

/**
 * Draws rows, those without a class below the others.
 * @param {CanvasRenderingContext2D} pen of an empty canvas
 * @param {import("./raster.mjs").Raster} raster of its size
 * @param {import("./row_grid.mjs").RowGrid} grid
 * @param {import("./raster.mjs").Dress} dress in its order
 * @param {DrawnAxes} axes in pixels of the canvas
 * @param {number} density of these, in a pixel of the page
 */
export function drawRows(pen, raster, grid, dress, axes, density) {
  const { width, height } = raster;
  const image = (part) => new ImageData(raster.draw(grid, part, axes, density), width, height);
  const [above, under] = partsOf(dress);
  if (above) pen.putImageData(image(above), 0, 0);
  if (!under) return;
  below ??= document.createElement("canvas");
  if (below.width !== width || below.height !== height) Object.assign(below, { width, height });
  below.getContext("2d").putImageData(image(under), 0, 0);
  pen.globalCompositeOperation = "destination-over";
  pen.drawImage(below, 0, 0);
  pen.globalCompositeOperation = "source-over";
}

/**
 * Draws the grid below what is drawn already.
 * @param {CanvasRenderingContext2D} pen
 * @param {DrawnAxes} axes in pixels of the canvas
 * @param {number} density of these, in a pixel of the page
 * @param {PixelAxis[]} pixels x and y
 */
export function drawGridBelow(pen, axes, density, [across, up]) {
  const { width, height } = pen.canvas;
  const lines = ({ offset, scale }, /** @type {PixelAxis} */ axis, length) => {
    const ends = [-offset / scale, (length - offset) / scale].sort((a, b) => a - b);
    return multiples(axis.tickStep, /** @type {Extent} */ (ends)).map((value) => (offset + scale * value) / density);
  };
  pen.globalCompositeOperation = "destination-over";
  pen.setTransform(density, 0, 0, density, 0, 0);
  const box = { left: 0, top: 0, width: width / density, height: height / density };
  drawGrid(pen, across.gridColor, lines(axes.x, across, width), lines(axes.y, up, height), box);
  pen.globalCompositeOperation = "source-over";
  pen.setTransform(1, 0, 0, 1, 0, 0);
}
