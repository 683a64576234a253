// The curve of a run: its traces from the events of the run, and the canvas that draws them.
import { tickLabel } from "../page/number_text.mjs";
import { clearedPen, drawGrid, drawTrace, fontOf } from "../plane/canvas.mjs";
import { along, drawnOn } from "../plane/pixel_axes.mjs";
import { multiples, tickStep } from "../plane/scales.mjs";

/** The events of a run, and the held-out divergence of its best planes. @typedef {Pick<News, typeof EVENTS[number] | "held_out">} Events */

/** What the news say of every event. */
export const EVENTS = /** @type {const} */ (["sequences", "objective", "best", "starts", "n_sampled"]);

/** The trace of a kind. @param {Trace[]} traces @param {CurveTrace} kind */
const traceOf = (traces, kind) => traces.find(({ meta }) => meta.kind === kind);

// Of the steps, this share may be cut: those of starts that have just begun.
const LOW = 0.3;
const LOW_HELD_OUT = 0.15;
const MARGIN = 0.12;
const RECOMMENDED_PX = 11;
const LEAST_SPAN = 0.05; // of the best value

/**
 * The traces of the objective along a run.
 * @param {Trace[]} styles of the figure
 * @param {Events} events
 * @param {FoldsCurve | null} [folds] held-out divergence, in the place of that of the best planes
 */
export function objectiveTraces(styles, { sequences: x, objective, best, starts, n_sampled: sampled, held_out: heldOut }, folds = null) {
  const begins = breakIndices(best, sampled);
  // A plane is the best until the next one is: the last step reaches the newest plane.
  const held = heldOut.length ? [...heldOut, [x.at(-1), heldOut.at(-1)[1]]] : [];
  /** @type {Partial<Record<CurveTrace, { x: number[], y: number[] }>>} */
  const data = {
    steps: brokenAt(begins, x, objective),
    best: brokenAt(begins, x, best),
    held_out: { x: held.map(([sequence]) => sequence), y: held.map(([, value]) => value) },
    starts: pointsAt(x, objective, startIndices(starts)),
    records: pointsAt(x, best, recordIndices(best, begins)),
    ...(folds && foldsData(folds)),
  };
  return styles.filter(({ meta }) => meta.kind in data).map((style) => ({ ...style, ...data[style.meta.kind] }));
}

/** Mean and band of the folds. @param {FoldsCurve} folds */
const foldsData = ({ x, mean, lower, upper }) => ({
  held_out: { x, y: mean },
  band: { x: [...x, ...x.toReversed()], y: [...lower, ...upper.toReversed()] },
});

/**
 * The traces of a divergence along something else: the kernel width, or the way to another run.
 * @param {Trace[]} styles of the figure
 * @param {number[]} x
 * @param {(number | null)[]} train
 * @param {(number | null)[]} heldOut
 */
export function divergenceTraces(styles, x, train, heldOut) {
  const [line, held] = [traceOf(styles, "best"), traceOf(styles, "held_out")];
  return [
    { ...line, line: { ...line.line, shape: "linear" }, x, y: train },
    { ...held, line: { ...held.line, shape: "linear" }, x, y: heldOut },
  ];
}

/**
 * The traces of held-out accuracy by kernel width: the mean of inner folds in a band of one standard
 * error to both sides, and the width that is recommended.
 * @param {Trace[]} styles of the figure
 * @param {GammaPath} path
 */
export function accuracyTraces(styles, { gammas, accuracies, standard_errors: errors, chosen }) {
  const x = gammas.map(Math.log10);
  const edge = (side) => accuracies.map((accuracy, i) => accuracy + side * errors[i]);
  const recommended = [gammas.indexOf(chosen)];
  const [mark, held] = [traceOf(styles, "records"), traceOf(styles, "held_out")];
  return [
    { ...traceOf(styles, "band"), x: [...x, ...x.toReversed()], y: [...edge(-1), ...edge(1).reverse()] },
    { ...held, line: { ...held.line, shape: "linear" }, x, y: accuracies },
    { ...mark, marker: { ...mark.marker, size: RECOMMENDED_PX }, ...pointsAt(x, accuracies, recommended) },
  ];
}

/**
 * The range of values around the best: what is far below them, as where a start begins, is cut.
 * @param {Events} events
 * @param {FoldsCurve | null} [folds]
 * @returns {[number, number]}
 */
export function valueRange({ objective, best, held_out: heldOut }, folds = null) {
  const steps = [...objective].sort((one, other) => one - other);
  const shown = (folds?.mean ?? heldOut.map(([, value]) => value)).toSorted((one, other) => one - other);
  const at = (values, share) => values[Math.floor(share * (values.length - 1))];
  const lows = [at(steps, LOW), ...(shown.length ? [at(shown, LOW_HELD_OUT)] : [])];
  const highs = [...best.slice(-1), ...shown.slice(-1), steps.at(-1)];
  return withRoom(Math.min(...lows), Math.max(...highs));
}

/**
 * The range that holds the values of traces.
 * @param {Trace[]} traces
 * @returns {[number, number]}
 */
export function rangeOf(traces) {
  const values = traces.flatMap(({ y }) => [...y]).filter(Number.isFinite);
  if (!values.length) return [0, 1];
  return withRoom(Math.min(...values), Math.max(...values));
}

/** @returns {[number, number]} */
function withRoom(low, high) {
  const room = MARGIN * Math.max(high - low, LEAST_SPAN * Math.abs(high), Number.EPSILON);
  return [low - room, high + room];
}

const pointsAt = (x, y, indices) => ({ x: indices.map((i) => x[i]), y: indices.map((i) => y[i]) });

/**
 * The first events whose values do not compare with those before: they are over other rows, or the best value
 * falls, as where a search begins anew with another kernel width.
 * @param {number[]} best so far
 * @param {number[]} sampled the number of rows, 0 for all
 * @returns {number[]}
 */
export const breakIndices = (best, sampled) =>
  best.flatMap((value, i) => (i > 0 && (sampled[i] !== sampled[i - 1] || value < best[i - 1]) ? [i] : []));

/**
 * A line with a gap before each of some of its points.
 * @param {number[]} indices of the points
 * @param {number[]} x
 * @param {number[]} y
 */
function brokenAt(indices, x, y) {
  const begins = new Set(indices);
  const withGaps = (values, gap) => values.flatMap((value, i) => (begins.has(i) ? [gap(i), value] : [value]));
  return { x: withGaps(x, (i) => x[i]), y: withGaps(y, () => NaN) };
}

/**
 * The first event of every start but the first; starts that run in parallel alternate.
 * @param {number[]} starts the start of each event
 * @returns {number[]}
 */
export function startIndices(starts) {
  let newest = starts[0];
  return starts.flatMap((start, i) => {
    if (start <= newest) return [];
    newest = start;
    return [i];
  });
}

/**
 * The last event of every climb of the best value over the same rows.
 * @param {number[]} best so far
 * @param {number[]} breaks where values do not compare with those before
 * @returns {number[]}
 */
export function recordIndices(best, breaks) {
  const begins = new Set(breaks);
  const climbs = (i) => best[i] > best[i - 1] && !begins.has(i);
  return best.flatMap((_, i) => (climbs(i) && !climbs(i + 1) ? [i] : []));
}

// A chart of lines and marks on a canvas, in the style of a plotly figure. It is drawn many times a
// second while a run is watched, and plotly would take most of the page's time for it.

/**
 * @typedef {object} Chart
 * @property {Trace[]} traces
 * @property {Extent} range of the horizontal axis
 * @property {Extent | null} values of the vertical axis; null without one
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
    const places = { x: { offset: left, length: box.width }, y: { offset: top, length: box.height }, hasEqualUnits: false };
    const drawn = drawnOn([range, values ?? [0, 1]], places);
    const [across, up] = (this.toPixels = [along(drawn.x), along(drawn.y)]);
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
    const step = chart.values && tickStep(chart.values, mostLevels(box.height, yaxis.nticks));
    const levels = step ? multiples(step, chart.values) : [];
    drawGrid(pen, yaxis.gridcolor, [], levels.map((value) => [value, up(value)]), box);
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
