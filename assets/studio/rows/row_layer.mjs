// The rows of a panel: found by pointer or outline, and, of a table of which the traces draw a sample, drawn. The
// positions of all rows come once the plane rests, and the sample gives way to a layer under the canvas.
import { UNLABELED_COLOR } from "../constants.mjs";
import { requested } from "../page/answers.mjs";
import { onChange } from "../page/signals.mjs";
import { addToPanels, addToViews } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { EveryRow, pointsIn, positionOf, rowsIn } from "../plane/every_row.mjs";
import { toData } from "../plane/pixel_axes.mjs";
import { chosen, shownClasses } from "./singled_out.mjs";
import { isPoints } from "../plane/traces.mjs";

const SETTLED_MS = 150;
const REACH_PX = 7; // between the pointer and the row that it points at
const ABOVE_PX = 4; // and one that a trace draws above the others
const FEW = 300; // rows without a class, which would not be seen below the others

const UNLABELED = "unlabeled"; // the kind of the trace of rows without a class, where they are few

export class RowLayer {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.plot = panel.part("plot");
    /** The rows that are known: those of the table where it is whole, else those of the figure. @type {EveryRow | null} */
    this.every = null;
    this.isWhole = false;
    panel.painting.layer = this;
    // The last plane may be painted before the run is known to have ended.
    panel.node.addEventListener("panel:news", ({ detail }) => detail.is_final && this.refresh());
    panel.node.addEventListener("panel:painted", () => this.refresh());
  }

  /** Whether the layer knows where a plane has its rows. @param {Plane | null} plane */
  shows(plane) {
    const { every, panel } = this;
    if (!plane || !every || panel.painting.recap.isPlaying) return false;
    if (!this.isWhole) return this.known === plane;
    if (this.known !== plane) {
      this.known = plane;
      this.isKnownToFit = fits(plane, panel.figure, every.rows, every.points, panel.nComponents);
    }
    return this.isKnownToFit;
  }

  /** Makes ready for a plane that is going to rest, before its traces are dressed. @param {Plane} plane */
  settle(plane) {
    const { figure } = this.panel;
    if (this.shows(plane)) return;
    this.take(drawnRows(figure), drawnPoints(figure, plane), false);
    this.known = plane;
  }

  refresh() {
    const { panel } = this;
    clearTimeout(this.timer);
    const isMoving = panel.isLive && !panel.isFinal;
    const hasMore = panel.figure?.is_sample || panel.figure?.unlabeled > 0; // than the figure draws
    if (!hasMore || isMoving || panel.painting.recap.isPlaying || this.allOf(panel.plane)) return;
    this.timer = setTimeout(() => this.load().catch(console.warn), SETTLED_MS);
  }

  // A plane that follows makes the answer useless.
  async load() {
    const { panel } = this;
    if (panel.isDisposed || !panel.plane) return;
    this.loading?.abort();
    const loading = (this.loading = new AbortController());
    const bytes = async (address, signal) => (await requested(address, undefined, signal)).arrayBuffer();
    try {
      const points = pointsIn(await bytes(addressOf(panel, "every-point"), loading.signal));
      const rows = this.whole ?? rowsIn(await bytes(`runs/${panel.run}/every-row`));
      if (loading.signal.aborted || panel.isDisposed) return;
      this.whole = rows;
      this.take(rows, points, true);
    } catch (error) {
      if (!loading.signal.aborted) throw error;
    }
    if (this.allOf(panel.plane)) panel.paint(true);
  }

  take(rows, points, isWhole) {
    const { is_sample: labeled, unlabeled } = this.panel.figure;
    this.every?.dispose();
    this.every = new EveryRow(this.plot, rows, points, this.panel.limits, { labeled, unlabeled: unlabeled > FEW });
    Object.assign(this, { isWhole, known: null });
  }

  /** What draws every row of the table, where the layer knows them in a plane; else null. @param {Plane | null} plane */
  allOf(plane) {
    return this.isWhole && this.shows(plane) ? this.every : null;
  }

  /** The row under the pointer, by number and class, or null. @param {Point} pixels of the figure */
  rowAt(pixels) {
    const { plot, every: { rows, grid } } = this;
    const [at, right] = [toData(plot, pixels), toData(plot, [pixels[0] + REACH_PX, pixels[1] + REACH_PX])];
    const reach = /** @type {Point} */ ([Math.abs(right[0] - at[0]), Math.abs(right[1] - at[1])]);
    const counts = (row) => !shownClasses.value || shownClasses.value.includes(rows.classes[row]);
    const above = /** @type {Point} */ (reach.map((length) => (length * ABOVE_PX) / REACH_PX));
    const found = grid.nearest(at, above, (row) => this.isAbove(row) && counts(row)) ?? grid.nearest(at, reach, counts);
    return found === null ? null : { row: rows.numbers[found], label: this.labelOf(found) };
  }

  // Whether a trace draws a row above those of the layer.
  isAbove(position) {
    const { rows, drawn } = this.every;
    return this.isWhole && !drawn[rows.classes[position] < this.panel.figure.classes.length ? "labeled" : "unlabeled"];
  }

  labelOf(position) {
    const { classes, heldOut } = this.every.rows;
    const name = this.panel.figure.classes[classes[position]] ?? "no label";
    return heldOut[position] ? `${name}, held out` : name;
  }

  /** The numbers of the rows within a polygon. @param {Point[]} corners */
  rowsWithin(corners) {
    const { rows, grid } = this.every;
    const found = grid.within(corners).filter((row) => !shownClasses.value || shownClasses.value.includes(rows.classes[row]));
    return found.map((row) => rows.numbers[row]).sort((a, b) => a - b);
  }
}

// The layers of all rows, one for each panel, and what of the figure gives way to them.

export function addRowLayers() {
  addToPanels((panel) => new RowLayer(panel));
  addToViews((view, panel) => {
    view.every = panel.painting.layer.allOf(panel.plane);
    if (view.every && !view.every.drawn.unlabeled && panel.figure.unlabeled) view.added.push(unlabeledTrace(view, panel.figure));
  });
  onChange(chosen, () => shownPanels().forEach((panel) => panel.paint(true)));
}

/**
 * The layer of a panel where it draws a plane, by default the one on screen; else null.
 * @param {Panel} panel
 */
export function shownLayer(panel, plane = panel.painting.plane) {
  const { layer } = panel.painting;
  return layer.shows(plane) ? layer : null;
}

/**
 * What is known of rows of a panel: those of the layer that shows a plane, by default the one on screen, else those that
 * its figure draws.
 * @param {Panel} panel
 * @param {Plane | null} [plane]
 */
export const knownRows = (panel, plane) => shownLayer(panel, plane)?.every.rows ?? drawnRows(panel.figure);

/** Where a plane has these rows. @param {Panel} panel @param {Plane} plane */
export const knownPoints = (panel, plane) => shownLayer(panel, plane)?.every.points ?? drawnPoints(panel.figure, plane);

/** Where a panel shows a row; null where it does not. @param {Panel} panel @param {number} row @returns {Point | null} */
export function pointOf(panel, row) {
  const { figure, painting: { plane } } = panel;
  const at = figure && plane ? positionOf(knownRows(panel).numbers, row) : -1;
  if (at < 0) return null;
  const { x, y } = knownPoints(panel, plane);
  return [x[at], y[at]];
}

// Whether the positions of all rows are those of a plane: the sample of the plane shows it, whatever
// has changed meanwhile, be it the view, the run to align with, or only the kernel width.

const TOLERANCE = 1e-3; // of the extent of the sample, whose codes have 65,534 steps

/**
 * @param {Plane} plane
 * @param {Figure} figure
 * @param {Rows} rows
 * @param {Points} points
 * @param {number} nComponents
 */
export function fits(plane, figure, rows, points, nComponents) {
  // Rows of a line are spread across it by how many are drawn.
  const axes = ["x", "y"].slice(0, nComponents);
  return figure.plane.data.every((style, trace) => !isPoints(style) || axes.every((axis) => {
    const values = plane.traces[trace][axis];
    const tolerance = TOLERANCE * extentOf(values);
    return figure.rows[trace].every((row, i) => {
      const at = positionOf(rows.numbers, row);
      return at >= 0 && Math.abs(points[axis][at] - values[i]) <= tolerance;
    });
  }));
}

const extentOf = (values) => Math.max(...values) - Math.min(...values) || 1;

// The rows that a figure draws, in the form in which the layer has those of a whole table.

/** Where the traces have a row. @typedef {{ trace: number, point: number }} Place */

/** @type {WeakMap<Figure, Rows & { places: Place[] }>} */
const known = new WeakMap();

/** The drawn rows in the order of the file. @param {Figure} figure */
export function drawnRows(figure) {
  if (!known.has(figure)) known.set(figure, sortedRows(figure));
  return known.get(figure);
}

/** @param {Figure} figure */
function sortedRows({ plane: { data }, rows }) {
  const all = data.flatMap(({ meta }, trace) =>
    rows[trace].map((number, point) => ({
      number,
      label: meta.class,
      isHeldOut: meta.kind === "held_out",
      place: { trace, point },
    })),
  );
  all.sort((one, other) => one.number - other.number);
  return {
    numbers: Int32Array.from(all, ({ number }) => number),
    classes: Uint16Array.from(all, ({ label }) => label),
    heldOut: Uint8Array.from(all, ({ isHeldOut }) => Number(isHeldOut)),
    places: all.map(({ place }) => place),
  };
}

/**
 * Where a plane has the drawn rows, in the same order.
 * @param {Figure} figure
 * @param {Plane} plane
 */
export function drawnPoints(figure, { traces }) {
  const { places } = drawnRows(figure);
  const along = (axis) => Float32Array.from(places, ({ trace, point }) => traces[trace][axis][point]);
  return { x: along("x"), y: along("y") };
}

// Rows without a class: gray and fainter than the others. Many are drawn by the layer of all rows, with its
// other rows; a few would not be seen there, so they are drawn above these.

const SIZE = 5;
const [OPACITY, FAINT] = [0.9, 0.1];

// Beside classes that are shown alone, and unless they are among the selected rows, they are faint.
/** @param {View} view @param {Figure} figure @returns {Trace} */
function unlabeledTrace({ every: { rows: { numbers, classes }, points }, rows: wanted, columns, classes: alone }, figure) {
  const own = [...numbers.keys()].filter((at) => classes[at] >= figure.classes.length);
  const selected = wanted && own.flatMap((at, i) => (wanted.has(numbers[at]) ? [i] : []));
  const colors = columns.colors?.every;
  return {
    type: "scatter",
    meta: { kind: UNLABELED },
    mode: "markers",
    x: own.map((at) => points.x[at]),
    y: own.map((at) => points.y[at]),
    marker: { symbol: "circle", color: own.map((at) => colors?.palette[colors.codes[at]] ?? UNLABELED_COLOR), size: SIZE },
    opacity: alone ? FAINT : OPACITY,
    ...(selected && { selectedpoints: selected, unselected: { marker: { opacity: FAINT } } }),
  };
}
