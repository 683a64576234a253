// Canvas animation. Planes that follow each other are drawn on a canvas over the figure, many times
// faster than plotly draws; the plane that remains is drawn by plotly, with its hovering, zooming
// and selecting. The planes of a running fit count as one animation however slowly they come, and
// the very first plane does not wait for plotly.
import { drawGrid, drawTrace } from "./canvas.mjs";
import { isDrawn, pixelAxes, shownRanges } from "./plotly.mjs";
import { multiples, scale } from "./scales.mjs";

const STILL_AFTER_MS = 250;
const STILL_AFTER_RUNNING_MS = 1000;

export class CanvasAnimation {
  /**
   * @param {HTMLCanvasElement} canvas over the plot
   * @param {HTMLElement} plot
   * @param {() => void} drawStill draws the last plane by plotly
   */
  constructor(canvas, plot, drawStill) {
    this.canvas = canvas;
    this.plot = plot;
    this.drawStill = drawStill;
    this.lastAt = -Infinity;
  }

  /** Whether the next plane follows so closely that it belongs to an animation. @param {boolean} isRunning */
  isOn(isRunning) {
    return isRunning || performance.now() - this.lastAt < STILL_AFTER_MS || !isDrawn(this.plot);
  }

  /** Notes that a plane is drawn; one that follows soon begins an animation. */
  begin() {
    this.lastAt = performance.now();
  }

  /**
   * Draws one plane, and schedules plotly's drawing of it.
   * @param {any[]} traces
   * @param {import("../types").Axes} axes that the picture holds at least
   * @param {object} layout
   * @param {boolean} isRunning
   */
  draw(traces, axes, layout, isRunning) {
    this.begin();
    const isFirst = !isDrawn(this.plot);
    this.drawOn(this.clearedPen(), traces, axes, pixelAxes(this.plot, layout));
    this.plot.classList.add("is-moving");
    clearTimeout(this.timer);
    const wait = isRunning ? STILL_AFTER_RUNNING_MS : STILL_AFTER_MS;
    if (isFirst) requestAnimationFrame(() => setTimeout(() => this.drawStill())); // once it is on screen
    else this.timer = setTimeout(() => this.drawStill(), wait);
  }

  drawOn(pen, traces, axes, pixels) {
    const { x, y } = pixels;
    const [xRange, yRange] = shownRanges(axes, pixels);
    const across = scale(xRange, x.offset, x.length);
    const up = scale(yRange, y.offset + y.length, -y.length);
    const box = { left: x.offset, top: y.offset, width: x.length, height: y.length };
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.width, box.height);
    pen.clip();
    drawGrid(pen, x.gridColor, multiples(x.tickStep, xRange).map(across), multiples(y.tickStep, yRange).map(up), box);
    for (const trace of traces) {
      if (trace.visible !== false) drawTrace(pen, trace, trace.x.map(across), trace.y.map(up));
    }
    pen.restore();
  }

  /** Ends the animation: plotly has drawn the same plane. */
  end() {
    clearTimeout(this.timer);
    this.plot.classList.remove("is-moving");
    this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  dispose() {
    clearTimeout(this.timer);
  }

  clearedPen() {
    const { canvas, plot } = this;
    const density = window.devicePixelRatio || 1;
    const [width, height] = [plot.clientWidth, plot.clientHeight].map((side) => Math.round(side * density));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d");
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, width, height);
    return pen;
  }
}
