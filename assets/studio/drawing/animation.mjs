// Canvas animation. Planes that follow each other are drawn on a canvas over the figure, many times
// faster than plotly draws. Between two planes the picture glides, where the page has the time. The plane
// that remains stays on the canvas, or plotly draws it, with its hovering, dragging and selecting. The
// planes of a running fit count as one animation however slowly they come.
import { drawAtOnce, inTurn, isTimeToMove, keepMoving, stopMoving } from "./clock.mjs";
import { lessMotion } from "../page/dom.mjs";
import { clearedPen, drawGrid, drawTrace } from "./canvas.mjs";
import { between, contourMaps, isAlike } from "./glide.mjs";
import { noteCanvasAxes, pixelAxes, shownRanges, sizeOf } from "./plotly.mjs";
import { multiples, scale } from "./scales.mjs";

/** @typedef {import("./glide.mjs").Picture} Picture */

const STILL_AFTER_MS = 250;
const STILL_AFTER_RUNNING_MS = 1000;
// A glide takes as long as the next plane is likely to take, within these bounds.
const [SHORTEST_GLIDE_MS, LONGEST_GLIDE_MS] = [50, 300];

const axisOf = (pixel) => ({ offset: pixel(0), scale: pixel(1) - pixel(0) });

export class CanvasAnimation {
  /**
   * @param {HTMLCanvasElement} canvas over the plot
   * @param {HTMLElement} plot
   * @param {() => Promise<void> | void} drawStill draws the last plane as it stays
   */
  constructor(canvas, plot, drawStill) {
    this.canvas = canvas;
    this.plot = plot;
    this.drawStill = drawStill;
    this.lastAt = -Infinity;
    this.interval = SHORTEST_GLIDE_MS; // between planes, on average
    /** @type {Picture | null} */
    this.from = null;
    /** @type {Picture | null} */
    this.to = null; // the plane that is drawn, or that the picture glides to
    /** @type {import("./glide.mjs").ContourMaps | undefined} */
    this.maps = undefined; // of the glide
    this.began = -Infinity; // the glide, in ms
    /** @type {object | null} */
    this.asked = null; // a drawing of what stays that waits for its turn
    /**
     * What draws under the picture, told of the axes in pixels; it returns whether it draws the grid.
     * @type {((axes: import("../types").DrawnAxes) => boolean) | null}
     */
    this.onAxes = null;
    this.move = (now) => this.drawAt(now);
  }

  /** Whether the canvas shows what stays. */
  get isResting() {
    return this.plot.classList.contains("is-resting");
  }

  /** Whether the next plane follows so closely that it belongs to an animation. @param {boolean} isRunning */
  isOn(isRunning) {
    return isRunning || performance.now() - this.lastAt < STILL_AFTER_MS || !this.to;
  }

  /** Notes what stays; a plane that follows soon begins an animation. @param {Picture} picture */
  begin(picture) {
    this.lastAt = performance.now();
    this.from = null;
    this.to = picture;
  }

  /**
   * Draws what stays.
   * @param {Picture} picture
   * @param {import("../types").Trace[]} traces of it that are drawn here
   * @param {object} layout
   */
  rest(picture, traces, layout) {
    this.keep();
    this.begin(picture);
    this.pixels = pixelAxes(this.plot, layout);
    this.plot.classList.add("is-resting");
    this.drawOn(clearedPen(this.canvas, sizeOf(this.plot)), traces, picture.axes);
  }

  /**
   * Draws one plane, to which the picture glides, and schedules the drawing of what stays.
   * @param {Picture} picture
   * @param {object} layout
   * @param {boolean} isRunning
   */
  draw(picture, layout, isRunning) {
    const isFirst = !this.to;
    const isSame = this.glideTo(picture);
    this.pixels = pixelAxes(this.plot, layout);
    // Until then, plotly or the layer below shows a part of the picture, which is hidden now.
    const isAllHere = this.plot.classList.contains("is-moving");
    this.plot.classList.add("is-moving");
    this.plot.classList.remove("is-resting");
    this.drawSoon(isSame || !isAllHere);
    clearTimeout(this.timer);
    if (isFirst) {
      requestAnimationFrame(() => setTimeout(() => this.drawInTurn())); // once it is on screen
      return;
    }
    this.asked = null;
    const wait = isRunning ? STILL_AFTER_RUNNING_MS : STILL_AFTER_MS;
    this.timer = setTimeout(() => this.drawInTurn(), Math.max(wait, this.duration()));
  }

  // Plotly takes so long that the page answers to the user between two panels.
  drawInTurn() {
    const asked = (this.asked = {});
    inTurn(() => {
      if (this.asked === asked) return this.drawStill();
    });
  }

  // A glide begins with what is on screen; where the canvas shows that, it is drawn once the next picture is due.
  drawSoon(isAtOnce) {
    if (this.from) keepMoving(this.move);
    else stopMoving(this.move);
    if (isAtOnce || !this.from) drawAtOnce(() => this.drawAt(performance.now()));
  }

  // From what is on screen now, which may itself be on the way between two planes. Returns whether the
  // plane is the same, painted again on other axes or in other colors.
  glideTo(picture) {
    const now = performance.now();
    const isSame = this.to?.plane === picture.plane;
    const isGliding = !isSame && this.canGlideTo(picture);
    if (!isSame) this.from = isGliding ? this.pictureAt(now) : null;
    this.to = picture;
    if (isGliding) this.maps = contourMaps(this.from, picture);
    if (isSame) return true;
    this.interval += 0.3 * (Math.min(now - this.lastAt, 2 * LONGEST_GLIDE_MS) - this.interval);
    this.began = this.lastAt = now;
    return false;
  }

  canGlideTo(picture) {
    return this.to && isAlike(this.to, picture) && !lessMotion.matches && isTimeToMove(this.duration());
  }

  duration() {
    return Math.min(LONGEST_GLIDE_MS, Math.max(SHORTEST_GLIDE_MS, this.interval));
  }

  pictureAt(now) {
    if (!this.from) return { ...this.to, fading: [] };
    return between(this.from, this.to, (now - this.began) / this.duration(), this.maps);
  }

  /** Draws the picture at a time, and returns whether it still moves. @param {number} now */
  drawAt(now) {
    const { plot } = this;
    const picture = this.pictureAt(now);
    this.drawOn(clearedPen(this.canvas, sizeOf(plot)), [...picture.fading, ...picture.traces], picture.axes);
    if (now - this.began >= this.duration()) this.from = null;
    return this.from !== null;
  }

  drawOn(pen, traces, axes) {
    const { x, y } = this.pixels;
    const [xRange, yRange] = shownRanges(axes, this.pixels);
    const across = scale(xRange, x.offset, x.length);
    const up = scale(yRange, y.offset + y.length, -y.length);
    const drawnAxes = { x: axisOf(across), y: axisOf(up) };
    noteCanvasAxes(this.plot, drawnAxes);
    const hasGrid = this.onAxes?.(drawnAxes) ?? false;
    const box = { left: x.offset, top: y.offset, width: x.length, height: y.length };
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.width, box.height);
    pen.clip();
    if (!hasGrid) drawGrid(pen, x.gridColor, multiples(x.tickStep, xRange).map(across), multiples(y.tickStep, yRange).map(up), box);
    for (const trace of traces) {
      if (trace.visible !== false) drawTrace(pen, trace, trace.x.map(across), trace.y.map(up));
    }
    pen.restore();
  }

  /** Ends the animation, whose last picture stays. */
  keep() {
    clearTimeout(this.timer);
    this.asked = null;
    stopMoving(this.move);
    this.from = null;
    this.plot.classList.remove("is-moving");
  }

  /** Ends the animation: plotly has drawn the same plane. */
  end() {
    this.keep();
    this.plot.classList.remove("is-resting");
    noteCanvasAxes(this.plot, null);
    this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  dispose() {
    clearTimeout(this.timer);
    this.asked = null;
    stopMoving(this.move);
  }
}
