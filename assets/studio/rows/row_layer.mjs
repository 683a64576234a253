// The rows of a panel: found by pointer or outline, and, of a table of which the traces draw a sample, drawn. The
// positions of all rows come once the plane rests, and the sample gives way to a layer under the canvas.
import { UNLABELED_COLOR } from "../constants.mjs";
import { requested } from "../page/answers.mjs";
import { hide } from "../page/dom.mjs";
import { onChange } from "../page/signals.mjs";
import { addToPanels, addTraces, dressTraces } from "../panel/features.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { dressOf } from "../plane/dress.mjs";
import { canvasUnder, drawRows, pointsIn, positionOf, rowsIn } from "../plane/every_row.mjs";
import { toData } from "../plane/pixel_axes.mjs";
import { RowGrid } from "../plane/row_grid.mjs";
import { chosen, selectedRows, shownClasses } from "./singled_out.mjs";
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
    /** @type {import("../plane/every_row.mjs").Rows | null} */
    this.rows = null;
    /** @type {import("../plane/every_row.mjs").Points | null} */
    this.points = null;
    this.isWhole = false; // every row of the table is known, else those of the figure
    /** @type {RowGrid | null} */
    this.sorted = null;
    /** @type {HTMLCanvasElement | null} */
    this.canvas = null; // until it is needed
    this.columns = { colors: null, symbols: null };
    this.drawnAs = "";
    this.nDressed = 0;
    panel.painting.layer = this;
    panel.painting.animation.onAxes = (axes) => this.drawOn(axes);
    // The last plane may be painted before the run is known to have ended.
    panel.node.addEventListener("panel:news", ({ detail }) => detail.is_final && this.refresh());
    panel.node.addEventListener("panel:painted", () => this.refresh());
  }

  /** Whether the layer knows where a plane has its rows. @param {Plane | null} plane */
  shows(plane) {
    if (!plane || !this.points || this.panel.painting.recap.isPlaying) return false;
    if (!this.isWhole) return this.known === plane;
    if (this.known !== plane) {
      this.known = plane;
      this.isKnownToFit = fits(plane, this.panel.figure, this.rows, this.points, this.panel.nComponents);
    }
    return this.isKnownToFit;
  }

  /** Whether the layer draws every row of the table. @param {Plane | null} plane */
  showsAll(plane) {
    return this.isWhole && this.shows(plane);
  }

  /** Whether the layer draws the labeled rows, and those without a class, rather than traces. */
  get drawn() {
    const { is_sample: labeled, unlabeled } = this.panel.figure;
    return { labeled, unlabeled: unlabeled > FEW };
  }

  /** Makes ready for a plane that is going to rest, before its traces are dressed. @param {Plane} plane */
  settle(plane) {
    const { figure } = this.panel;
    if (this.shows(plane)) return;
    this.take(drawnRows(figure), drawnPoints(figure, plane), false);
    this.known = plane;
  }

  /** Draws rows anew: their looks have changed. */
  redress() {
    this.dress = null;
    this.nDressed += 1;
  }

  refresh() {
    const { panel } = this;
    clearTimeout(this.timer);
    const isMoving = panel.isLive && !panel.isFinal;
    const hasMore = panel.figure?.is_sample || panel.figure?.unlabeled > 0; // than the figure draws
    if (!hasMore || isMoving || panel.painting.recap.isPlaying || this.showsAll(panel.plane)) return;
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
      const rows = this.every ?? rowsIn(await bytes(`runs/${panel.run}/every-row`));
      if (loading.signal.aborted || panel.isDisposed) return;
      this.every = rows;
      this.take(rows, points, true);
    } catch (error) {
      if (!loading.signal.aborted) throw error;
    }
    if (this.showsAll(panel.plane)) panel.paint(true);
  }

  take(rows, points, isWhole) {
    Object.assign(this, { rows, points, isWhole, known: null, sorted: null });
    this.redress();
  }

  /** Once it is needed. @returns {RowGrid} */
  get grid() {
    this.sorted ??= new RowGrid(this.points.x, this.points.y, this.panel.limits);
    return this.sorted;
  }

  /**
   * Draws every row below the canvas of the animation, with the grid below them, where they are known.
   * @param {DrawnAxes} axes in pixels of the figure
   * @returns {boolean} whether it has
   */
  drawOn(axes) {
    const { panel } = this;
    const isDrawn = this.showsAll(panel.painting.plane);
    if (isDrawn) this.canvas ??= canvasUnder(this.plot);
    if (this.canvas) hide(this.canvas, !isDrawn);
    if (!isDrawn) return false;
    const { pixels } = panel.painting.shown();
    const drawnAs = JSON.stringify([axes, pixels, window.devicePixelRatio, panel.figureScheme, this.nDressed]);
    if (drawnAs === this.drawnAs) return true;
    this.drawnAs = drawnAs;
    drawRows(this.canvas, this.grid, this.sortedDress(), axes, pixels);
    return true;
  }

  // In the order of the grid.
  sortedDress() {
    const { panel, rows, columns } = this;
    if (this.dress && this.dressedIn === panel.figureScheme) return this.dress;
    this.dress = this.grid.sorted(dressOf(rows, panel.figure.plane.data, columns, chosen.value, this.drawn));
    this.dressedIn = panel.figureScheme;
    return this.dress;
  }

  /** The row under the pointer, by number and class, or null. @param {Point} pixels of the figure */
  rowAt(pixels) {
    const { plot, rows } = this;
    const [at, right] = [toData(plot, pixels), toData(plot, [pixels[0] + REACH_PX, pixels[1] + REACH_PX])];
    const reach = /** @type {Point} */ ([Math.abs(right[0] - at[0]), Math.abs(right[1] - at[1])]);
    const counts = (row) => !shownClasses.value || shownClasses.value.includes(rows.classes[row]);
    const above = /** @type {Point} */ (reach.map((length) => (length * ABOVE_PX) / REACH_PX));
    const found = this.grid.nearest(at, above, (row) => this.isAbove(row) && counts(row)) ?? this.grid.nearest(at, reach, counts);
    return found === null ? null : { row: rows.numbers[found], label: this.labelOf(found) };
  }

  // Whether a trace draws a row above those of the layer.
  isAbove(position) {
    const { classes } = this.panel.figure;
    return this.isWhole && !this.drawn[this.rows.classes[position] < classes.length ? "labeled" : "unlabeled"];
  }

  labelOf(position) {
    const { classes, heldOut } = this.rows;
    const name = this.panel.figure.classes[classes[position]] ?? "no label";
    return heldOut[position] ? `${name}, held out` : name;
  }

  /** The places of the rows beyond some ranges, by class; those without a class are the last. @param {Axes} ranges */
  outside([[left, right], [bottom, top]]) {
    const { rows: { classes }, points: { x, y } } = this;
    const found = [...this.panel.figure.classes, null].map(() => ({ x: [], y: [] }));
    for (let i = 0; i < x.length; i += 1) {
      if (x[i] >= left && x[i] <= right && y[i] >= bottom && y[i] <= top) continue;
      found[classes[i]].x.push(x[i]);
      found[classes[i]].y.push(y[i]);
    }
    return found;
  }

  /** The numbers of the rows within a polygon. @param {Point[]} corners */
  rowsWithin(corners) {
    const { rows, grid } = this;
    const found = grid.within(corners).filter((row) => !shownClasses.value || shownClasses.value.includes(rows.classes[row]));
    return found.map((row) => rows.numbers[row]).sort((a, b) => a - b);
  }
}

// The layers of all rows, one for each panel, and what of the figure gives way to them.

/** @type {WeakMap<Panel, RowLayer>} */
const layers = new WeakMap();

export function addRowLayers() {
  addToPanels((panel) => layers.set(panel, new RowLayer(panel)));
  dressTraces((trace, panel) => {
    if (panel.figure.is_sample && isPoints(trace) && layers.get(panel).showsAll(panel.plane)) trace.visible = false;
  });
  onChange(chosen, () => {
    for (const panel of shownPanels()) layers.get(panel).redress();
    for (const panel of shownPanels()) panel.paint(true);
  });
}

/**
 * The layer of a panel where it draws a plane, by default the one on screen; else null.
 * @param {Panel} panel
 */
export function shownLayer(panel, plane = panel.painting.plane) {
  const layer = layers.get(panel);
  return layer?.shows(plane) ? layer : null;
}

/**
 * What is known of rows of a panel: those of the layer that it shows, else those that its figure draws.
 * @param {Panel} panel
 */
export const knownRows = (panel) => shownLayer(panel)?.rows ?? drawnRows(panel.figure);

/** Where a panel shows a row; null where it does not. @param {Panel} panel @param {number} row @returns {Point | null} */
export function pointOf(panel, row) {
  const { figure, painting: { plane } } = panel;
  const at = figure && plane ? positionOf(knownRows(panel).numbers, row) : -1;
  if (at < 0) return null;
  const { x, y } = shownLayer(panel)?.points ?? drawnPoints(figure, plane);
  return [x[at], y[at]];
}

/** Dresses every row by columns. @param {Panel} panel @param {RowLayer["columns"]} columns */
export const dressByColumns = (panel, columns) => Object.assign(layers.get(panel), { columns }).redress();

// Whether the positions of all rows are those of a plane: the sample of the plane shows it, whatever
// has changed meanwhile, be it the view, the run to align with, or only the kernel width.

const TOLERANCE = 1e-3; // of the extent of the sample, whose codes have 65,534 steps

/**
 * @param {Plane} plane
 * @param {Figure} figure
 * @param {import("../plane/every_row.mjs").Rows} rows
 * @param {import("../plane/every_row.mjs").Points} points
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

/** @type {WeakMap<Figure, import("../plane/every_row.mjs").Rows & { places: Place[] }>} */
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

export function addUnlabeledRows() {
  addTraces((panel) => {
    const layer = panel.figure?.unlabeled ? shownLayer(panel, panel.plane) : null;
    return layer?.isWhole && !layer.drawn.unlabeled ? [unlabeledTrace(layer)] : [];
  });
}

// Beside classes that are shown alone, and unless they are among the selected rows, they are faint.
/** @returns {Trace} */
function unlabeledTrace({ rows: { numbers, classes }, points, panel: { figure }, columns: { colors } }) {
  const own = [...numbers.keys()].filter((at) => classes[at] >= figure.classes.length);
  const selected = selectedRows.value && own.flatMap((at, i) => (selectedRows.value.has(numbers[at]) ? [i] : []));
  return {
    type: "scatter",
    meta: { kind: UNLABELED },
    mode: "markers",
    x: own.map((at) => points.x[at]),
    y: own.map((at) => points.y[at]),
    marker: { symbol: "circle", color: own.map((at) => colors?.palette[colors.codes[at]] ?? UNLABELED_COLOR), size: SIZE },
    opacity: shownClasses.value ? FAINT : OPACITY,
    ...(selected && { selectedpoints: selected, unselected: { marker: { opacity: FAINT } } }),
  };
}
