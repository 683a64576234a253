// A chart of lines and marks on a canvas, in the style of a plotly figure. It is drawn many times a
// second while a run is watched, and plotly would take most of the page's time for it.
import { tickLabel } from "../page/number_text.mjs";
import { clearedPen, drawGrid, drawTrace, fontOf } from "../plane/canvas.mjs";
import { multiples, scale, tickStep } from "../plane/scales.mjs";

/** @typedef {import("../types").Range} Range */
/** @typedef {import("../types").Trace} Trace */
/**
 * @typedef {object} Chart
 * @property {Trace[]} traces
 * @property {Range} range of the horizontal axis
 * @property {Range} values of the vertical axis
 * @property {string} [caption] above the chart
 * @property {{ tickvals: number[], ticktext: string[] }} [ticks] of the horizontal axis
 */

const LEVEL_PX = 14; // the height of a number, and some room
const TICK_GAP_PX = 4;

export class ChartCanvas {
  /**
   * @param {HTMLElement} place that the chart fills
   * @param {() => void} onFit called when its size has changed
   */
  constructor(place, onFit) {
    this.place = place;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true"); // the slider over it says where it is
    place.replaceChildren(this.canvas);
    /** @type {Chart | null} */
    this.chart = null; // what is drawn
    this.observer = new ResizeObserver(() => {
      if (!this.chart || !place.clientWidth) return;
      this.paint();
      onFit();
    });
    this.observer.observe(place);
  }

  /** @param {Chart} chart @param {any} layout of the figure */
  draw(chart, layout) {
    this.chart = chart;
    this.layout = layout;
    this.paint();
  }

  /** The horizontal axis in pixels; null before anything is drawn. */
  get axis() {
    return this.chart && { offset: this.box.left, length: this.box.width, range: this.chart.range };
  }

  dispose() {
    this.observer.disconnect();
  }

  paint() {
    const { place, layout } = this;
    const { traces, range, values } = this.chart;
    const [width, height] = [place.clientWidth, place.clientHeight];
    const { l: left, r, t: top, b } = layout.margin;
    const box = (this.box = { left, top, width: Math.max(1, width - left - r), height: Math.max(1, height - top - b) });
    const pen = clearedPen(this.canvas, [width, height]);
    const across = scale(range, box.left, box.width);
    const up = scale(values, box.top + box.height, -box.height);
    this.drawAxes(pen, across, up);
    pen.save();
    pen.beginPath();
    pen.rect(box.left, 0, width, box.top + box.height);
    pen.clip();
    for (const trace of traces) drawTrace(pen, trace, trace.x.map(across), trace.y.map(up));
    pen.restore();
  }

  drawAxes(pen, across, up) {
    const { box, layout, chart } = this;
    const { xaxis, yaxis } = layout;
    const step = tickStep(chart.values, mostLevels(box.height, yaxis.nticks));
    const levels = multiples(step, chart.values);
    drawGrid(pen, yaxis.gridcolor, [], levels.map(up), box);
    pen.font = fontOf({ ...xaxis.tickfont, family: layout.font.family });
    pen.fillStyle = xaxis.tickfont.color;
    Object.assign(pen, { textAlign: "right", textBaseline: "middle" });
    for (const level of levels) pen.fillText(tickLabel(level, step), box.left - TICK_GAP_PX, up(level));
    Object.assign(pen, { textAlign: "center", textBaseline: "top" });
    for (const [value, text] of ticksAcross(chart, xaxis)) pen.fillText(text, across(value), box.top + box.height + TICK_GAP_PX);
    Object.assign(pen, { textAlign: "left", textBaseline: "bottom" });
    pen.fillText(fittingCaption(chart.caption ?? "", box.width, (text) => pen.measureText(text).width), box.left, box.top - 1);
  }
}

/**
 * A caption, or what it says before its first comma where all of it has no room.
 * @param {string} caption
 * @param {number} width in pixels
 * @param {(text: string) => number} widthOf in pixels
 */
export const fittingCaption = (caption, width, widthOf) => (widthOf(caption) <= width ? caption : caption.split(",")[0]);

/**
 * How many numbers fit above each other, of those that the axis would have.
 * @param {number} height in pixels
 * @param {number} wanted
 */
export const mostLevels = (height, wanted) => Math.max(1, Math.min(wanted, Math.floor(height / LEVEL_PX)));

/** @param {Chart} chart @returns {[number, string][]} */
function ticksAcross({ range, ticks }, axis) {
  if (ticks) return ticks.tickvals.map((value, i) => [value, ticks.ticktext[i]]);
  const step = tickStep(range, axis.nticks);
  return multiples(step, range).map((value) => [value, tickLabel(value, step)]);
}
