// Canvas animation. Planes that follow each other are drawn on a canvas, and between two planes the picture glides,
// where the page has the time. The planes of a running fit count as one animation however slowly they come.
import { lessMotion } from "../page/dom.mjs";
import { verticesPer } from "./arrows.mjs";
import { clearedPen, drawGrid, drawNumbers, drawTitles, drawTrace } from "./canvas.mjs";
import { drawAtOnce, eased, isTimeToMove, keepMoving, stopMoving } from "./clock.mjs";
import { along, drawnOn, noteAxes, sizeOf, ticksOn } from "./pixel_axes.mjs";
import { isPoints } from "./traces.mjs";

const STILL_AFTER_MS = 250;
const STILL_AFTER_RUNNING_MS = 1000;
// What another canvas has shown is pale after so long where no plane follows.
const LONGEST_STAY_MS = 1500;
// A glide takes as long as the next plane is likely to take, within these bounds.
const [SHORTEST_GLIDE_MS, LONGEST_GLIDE_MS] = [50, 300];

export class CanvasAnimation {
  /**
   * @param {HTMLCanvasElement} canvas over the plot
   * @param {HTMLElement} plot
   * @param {() => void} drawStill draws the last plane as it stays
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
    /** @type {ContourMaps | undefined} */
    this.maps = undefined; // of the glide
    /** @type {HTMLCanvasElement | null} */
    this.fading = null; // what was shown, which fades out for those who want less motion
    this.began = -Infinity; // the glide, in ms
    this.isTakenOver = false; // what is shown, from another canvas
    /**
     * What draws under the picture, told of the axes in pixels; it returns whether it draws the grid.
     * @type {((axes: DrawnAxes) => boolean) | null}
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
    return isRunning || this.isTakenOver || performance.now() - this.lastAt < STILL_AFTER_MS;
  }

  /** Whether what comes next is a step from what has stayed for a while. */
  isStep() {
    return this.to !== null && (this.isTakenOver || performance.now() - this.lastAt >= STILL_AFTER_MS);
  }

  /** Notes what stays; a plane that follows soon begins an animation. @param {Picture} picture */
  begin(picture) {
    this.lastAt = performance.now();
    this.from = null;
    this.to = picture;
    this.isTakenOver = false;
  }

  /**
   * Shows what another canvas has shown, and where the next plane is glided to from.
   * @param {Picture} picture
   * @param {PixelAxes} pixels
   */
  takeOver(picture, pixels) {
    this.keep();
    this.begin(picture);
    this.isTakenOver = true;
    this.interval = LONGEST_GLIDE_MS;
    this.lastAt -= LONGEST_GLIDE_MS;
    this.pixels = pixels;
    this.plot.classList.add("is-moving");
    this.plot.classList.remove("is-resting");
    this.drawAt(performance.now());
    this.timer = setTimeout(() => this.pale(), LONGEST_STAY_MS);
  }

  // No plane has come yet: what stays is not its own.
  pale() {
    this.plot.classList.add("is-former");
    this.plot.classList.remove("is-moving");
  }

  /** No plane will come: what another run has found is not shown as that of this one. */
  giveUp() {
    if (!this.isTakenOver) return;
    this.to = null;
    this.isTakenOver = false;
    this.keep();
    noteAxes(this.plot, null);
    this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  /**
   * Draws what stays.
   * @param {Picture} picture
   * @param {PixelAxes} pixels
   */
  rest(picture, pixels) {
    this.keep();
    this.begin(picture);
    this.pixels = pixels;
    this.plot.classList.add("is-resting");
    this.drawOn(clearedPen(this.canvas, sizeOf(this.plot)), picture.traces, picture.axes, picture.titles);
  }

  /**
   * Draws one plane, to which the picture glides, and schedules the drawing of what stays.
   * @param {Picture} picture
   * @param {PixelAxes} pixels
   * @param {boolean} isRunning
   */
  draw(picture, pixels, isRunning) {
    this.isTakenOver = false;
    this.plot.classList.remove("is-former");
    const isSame = this.glideTo(picture);
    this.pixels = pixels;
    // What rests may have been drawn by the layer below in part.
    const isAllHere = this.plot.classList.contains("is-moving");
    this.plot.classList.add("is-moving");
    this.plot.classList.remove("is-resting");
    this.drawSoon(isSame || !isAllHere);
    clearTimeout(this.timer);
    const wait = isRunning ? STILL_AFTER_RUNNING_MS : STILL_AFTER_MS;
    this.timer = setTimeout(() => this.drawStill(), Math.max(wait, this.duration()));
  }

  // A glide begins with what is on screen; where the canvas shows that, it is drawn once the next picture is due.
  drawSoon(isAtOnce) {
    if (this.from || this.fading) keepMoving(this.move, Boolean(this.to.lastsMs));
    else stopMoving(this.move);
    if (isAtOnce || !(this.from || this.fading)) drawAtOnce(() => this.drawAt(performance.now()));
  }

  // From what is on screen now, which may itself be on the way between two planes. Returns whether the
  // plane is the same, painted again on axes that a person has chosen or in other colors.
  glideTo(picture) {
    const now = performance.now();
    const hasMoved = picture.movesAxes && String(this.to?.axes) !== String(picture.axes);
    const isSame = this.to?.plane === picture.plane && !hasMoved;
    const isGliding = !isSame && this.canGlideTo(picture);
    if (!isSame) {
      this.from = isGliding ? { ...this.pictureAt(now), plane: this.to.plane } : null;
      this.fading = this.to && lessMotion.matches ? copyOf(this.canvas) : null;
    }
    this.to = isSame && !picture.lastsMs ? { ...picture, lastsMs: this.to?.lastsMs } : picture;
    if (isGliding) this.maps = contourMaps(this.from, picture);
    if (isSame) return true;
    this.interval += 0.3 * (Math.min(now - this.lastAt, 2 * LONGEST_GLIDE_MS) - this.interval);
    this.began = this.lastAt = now;
    return false;
  }

  canGlideTo(picture) {
    const isOnTime = picture.lastsMs || isTimeToMove(this.duration());
    return this.to && isAlike(this.to, picture) && !lessMotion.matches && isOnTime;
  }

  duration() {
    if (this.to?.lastsMs) return this.to.lastsMs;
    return Math.min(LONGEST_GLIDE_MS, Math.max(SHORTEST_GLIDE_MS, this.interval));
  }

  pictureAt(now) {
    if (!this.from) return { ...this.to, fading: [], ways: [] };
    const share = Math.min(1, (now - this.began) / this.duration());
    return between(this.from, this.to, this.to.lastsMs ? eased(share) : share, this.maps);
  }

  /** Draws the picture at a time, and returns whether it still moves. @param {number} now */
  drawAt(now) {
    const { plot } = this;
    const picture = this.pictureAt(now);
    const traces = picture.traces.toSpliced(picture.traces.findIndex(isPoints), 0, ...picture.ways);
    this.drawOn(clearedPen(this.canvas, sizeOf(plot)), [...picture.fading, ...traces], picture.axes, this.to.titles);
    this.fadeOut((now - this.began) / this.duration());
    if (now - this.began >= this.duration()) this.from = this.fading = null;
    return this.from !== null || this.fading !== null;
  }

  // Mixes what was shown with what is drawn.
  fadeOut(share) {
    if (!this.fading || share >= 1) return;
    const { width, height } = this.canvas;
    const pen = this.canvas.getContext("2d");
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.globalAlpha = Math.max(0, share);
    pen.globalCompositeOperation = "destination-in";
    pen.fillRect(0, 0, width, height);
    pen.globalAlpha = 1 - Math.max(0, share);
    pen.globalCompositeOperation = "lighter";
    pen.drawImage(this.fading, 0, 0, width, height);
    pen.restore();
  }

  // Data become pixels along each axis: offset + scale times value, upwards along y. Axes are widened until units are as
  // long both ways. NaN ends a line.
  drawOn(pen, traces, axes, titles) {
    const { x, y } = this.pixels;
    const drawn = drawnOn(axes, this.pixels);
    const [across, up] = [ticksOn(drawn.x, x), ticksOn(drawn.y, y)];
    const box = { left: x.offset, top: y.offset, width: x.length, height: y.length };
    noteAxes(this.plot, drawn);
    const hasGrid = this.onAxes?.(drawn) ?? false;
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.width, box.height);
    pen.clip();
    if (!hasGrid) drawGrid(pen, x.gridColor, across, up, box);
    for (const trace of traces) {
      if (trace.visible !== false) drawTrace(pen, trace, trace.x.map(along(drawn.x)), trace.y.map(along(drawn.y)));
    }
    pen.restore();
    drawNumbers(pen, x, across, box.top + box.height, "bottom");
    drawNumbers(pen, y, up, box.left, "left");
    if (titles) drawTitles(pen, x.numbers, titles, box, sizeOf(this.plot)[1]);
  }

  /** Ends the animation, whose last picture stays. */
  keep() {
    clearTimeout(this.timer);
    stopMoving(this.move);
    this.from = this.fading = null;
    this.plot.classList.remove("is-moving", "is-former");
  }
}

/** @param {HTMLCanvasElement} canvas */
function copyOf(canvas) {
  if (!canvas.width || !canvas.height) return null;
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy;
}

// The way from one plane to the next: points and arrows move on straight lines, and contours follow
// the points while those of the next plane appear. Pure functions of the traces of two planes.

/**
 * An affine map of the plane: the first coordinate is `a x + b y + e`, the second `c x + d y + f`.
 * @typedef {[a: number, b: number, c: number, d: number, e: number, f: number]} AffineMap
 */
/** @typedef {Map<number, { forth: AffineMap, back: AffineMap }>} ContourMaps by class */

/** @type {string[]} */
const OF_CLASS_KINDS = ["class_ellipse", "mean_ellipse", "centroid", "class_names"];
/** @type {string[]} */
const SHAFT_KINDS = ["faint_arrows", "arrow_lines"];
// A map that flattens the points more than this says nothing about contours.
const LEAST_DETERMINANT = 0.05;

const mix = (one, other, share) => one + share * (other - one);

/**
 * Whether one plane can glide into another: both draw the same rows.
 * @param {Picture} from
 * @param {Picture} to
 */
export function isAlike(from, to) {
  return (
    from.traces.length === to.traces.length &&
    to.traces.every((trace, i) => !isPoints(trace) || trace.x.length === from.traces[i].x.length)
  );
}

/**
 * The picture on the way between two planes. Its `fading` are the contours of the plane that it comes from; those of the
 * next plane have the opacity of the share. Its `ways` are behind rows that go to their other places.
 * @param {Picture} from
 * @param {Picture} to
 * @param {number} share of the way
 * @param {ContourMaps} [maps] which are the same all the way
 * @returns {Picture & { fading: Trace[], ways: Trace[] }}
 */
export function between(from, to, share, maps = contourMaps(from, to)) {
  if (share >= 1) return { ...to, fading: [], ways: [] };
  const fading = [];
  const arrows = arrowsBetween(shaftsOf(from), shaftsOf(to), share);
  const traces = to.traces.map((trace, i) => {
    const former = from.traces[i];
    if (trace.visible === false) return trace;
    if (isPoints(trace)) return moved(trace, former, share);
    if (OF_CLASS_KINDS.includes(trace.meta.kind)) return moved(trace, former, share);
    if (SHAFT_KINDS.includes(trace.meta.kind)) return movedShafts(trace, arrows, featuresOf(trace, to));
    if (trace.meta.kind === "arrow_heads") return movedHeads(trace, arrows, featuresOf(trace, to));
    if (trace.meta.kind !== "contour") return trace;
    if (isCurve(trace) && isCurve(former)) return moved(trace, former, share);
    const { forth, back } = maps.get(trace.meta.class) ?? STAYING;
    const opacity = trace.opacity ?? 1;
    fading.push({ ...mapped(former, forth, share), opacity: opacity * (1 - share) });
    return { ...mapped(trace, back, 1 - share), opacity: opacity * share };
  });
  const ways = isTurn(from.plane, to.plane) ? waysBetween(from, to, share) : [];
  const axes = /** @type {Axes} */ (to.axes.map((range, axis) => range.map((end, i) => mix(from.axes[axis][i], end, share))));
  return { traces, axes, features: to.features, fading, ways };
}

/** At most so many rows have their ways drawn; more are a hairball. */
export const MOST_WAYS = 100;

/**
 * Whether rows of one plane go to their other places: as fitted, or where planes that never saw them put them.
 * @param {Placed | null | undefined} from
 * @param {Placed | null | undefined} to
 */
export const isTurn = (from, to) => from?.sequence === to?.sequence && from?.places?.state !== to?.places?.state;

// What rows have behind them on the way to their other places, faint once they are there; of many rows, some.
function waysBetween(from, to, share) {
  const points = to.traces.flatMap((trace, i) => (isPoints(trace) && trace.visible !== false && trace.x.length ? [i] : []));
  const step = Math.ceil(points.reduce((sum, i) => sum + to.traces[i].x.length, 0) / MOST_WAYS);
  return points.map((i) => {
    const way = (axis) =>
      Array.from(to.traces[i][axis], (value, row) => [from.traces[i][axis][row], value])
        .filter((_, row) => row % step === 0)
        .flatMap(([start, end]) => [start, mix(start, end, share), NaN]);
    const { color } = to.traces[i].marker;
    const line = { color: typeof color === "string" ? color : "gray", width: 1.5 };
    return { meta: { kind: "ways" }, mode: "lines", line, opacity: Math.min(1, 2 - 2 * share), x: way("x"), y: way("y") };
  });
}

// The density of one component is a curve without gaps over the same steps in every plane.
/** @param {Trace} trace */
const isCurve = ({ x }) => x.length > 0 && !x.some(Number.isNaN);

function moved(trace, former, share) {
  if (trace.x.length !== former.x.length) return trace;
  const mixed = (axis) => trace[axis].map((value, i) => mix(former[axis][i], value, share));
  return { ...trace, x: mixed("x"), y: mixed("y") };
}

// An arrow is its shaft, by feature: arrows are sorted by length, and what is strong in one plane may be faint in the
// next. Heads are drawn where the shafts end.

/** @typedef {{ x: number[], y: number[] }} Shaft its origin, its tip and the gap, then its path where it bends */

/** @param {Trace} trace @param {Picture} picture @returns {number[]} */
const featuresOf = (trace, picture) => trace.features ?? picture.features;

/** @param {Picture} picture @returns {Map<number, Shaft>} */
function shaftsOf(picture) {
  /** @type {Map<number, Shaft>} */
  const shafts = new Map();
  for (const trace of picture.traces.filter(({ meta }) => SHAFT_KINDS.includes(meta.kind))) {
    const features = trace.x.length ? featuresOf(trace, picture) : [];
    const size = verticesPer(trace, features.length);
    const part = (values, i) => Array.from(values.slice(i * size, (i + 1) * size));
    for (const [i, feature] of features.entries()) shafts.set(feature, { x: part(trace.x, i), y: part(trace.y, i) });
  }
  return shafts;
}

// A feature that is new among the arrows has its own at once; a path that was not bent is there at the end.
/** @param {Map<number, Shaft>} from @param {Map<number, Shaft>} to @param {number} share @returns {Map<number, Shaft>} */
function arrowsBetween(from, to, share) {
  const way = (values, former) =>
    values.map((value, i) => {
      if (i > 1 && values.length !== former.length) return NaN;
      return value === null ? null : mix(former[i], value, share);
    });
  return new Map(
    Array.from(to, ([feature, { x, y }]) => {
      const former = from.get(feature);
      return [feature, former ? { x: way(x, former.x), y: way(y, former.y) } : { x, y }];
    }),
  );
}

function movedShafts(trace, arrows, features) {
  if (!trace.x.length || !features.length) return trace;
  return { ...trace, x: features.flatMap((feature) => arrows.get(feature).x), y: features.flatMap((feature) => arrows.get(feature).y) };
}

function movedHeads(trace, arrows, features) {
  const own = features.map((feature) => arrows.get(feature));
  if (!own.length || own.includes(undefined)) return trace;
  const angle = own.map(({ x, y }) => (Math.atan2(x[1] - x[0], y[1] - y[0]) * 180) / Math.PI);
  return { ...trace, x: own.map(({ x }) => x[1]), y: own.map(({ y }) => y[1]), marker: { ...trace.marker, angle } };
}

// A line with the given share of the way that a map moves it.
/** @param {Trace} trace @param {AffineMap} map @param {number} share */
const mapped = (trace, [a, b, c, d, e, f], share) => ({
  ...trace,
  x: trace.x.map((x, i) => mix(x, a * x + b * trace.y[i] + e, share)),
  y: trace.y.map((y, i) => mix(y, c * trace.x[i] + d * y + f, share)),
});

/** @type {AffineMap} */
const IDENTITY = [1, 0, 0, 1, 0, 0];
const STAYING = { forth: IDENTITY, back: IDENTITY };

/**
 * How the contours of each class move: with the mean of its rows, turned as all rows are on average.
 * @param {Picture} from
 * @param {Picture} to
 * @returns {ContourMaps}
 */
function contourMaps(from, to) {
  const linear = averageMap(from, to);
  if (!linear) return new Map();
  const inverse = inverted(linear);
  /** @type {ContourMaps} */
  const maps = new Map();
  for (const [i, trace] of to.traces.entries()) {
    if (trace.meta.kind !== "train" || !trace.x.length) continue;
    const [start, end] = [mean(from.traces[i]), mean(trace)];
    maps.set(trace.meta.class, { forth: affine(linear, start, end), back: affine(inverse, end, start) });
  }
  return maps;
}

/** @param {number[]} linear @param {[number, number]} start @param {[number, number]} end @returns {AffineMap} */
const affine = ([a, b, c, d], [x0, y0], [x1, y1]) => [a, b, c, d, x1 - a * x0 - b * y0, y1 - c * x0 - d * y0];

/** @param {number[]} map */
function inverted([a, b, c, d]) {
  const determinant = a * d - b * c;
  return [d / determinant, -b / determinant, -c / determinant, a / determinant];
}

/**
 * The linear map that takes the rows of one picture closest to those of the other, about their
 * class means, by least squares; null where the rows do not determine one.
 * @param {Picture} from
 * @param {Picture} to
 * @returns {number[] | null} row by row
 */
export function averageMap(from, to) {
  let [xx, xy, yy, ux, uy, vx, vy] = [0, 0, 0, 0, 0, 0, 0];
  for (const [i, trace] of to.traces.entries()) {
    if (trace.meta.kind !== "train") continue;
    const former = from.traces[i];
    const [[x0, y0], [u0, v0]] = [mean(former), mean(trace)];
    for (let row = 0; row < trace.x.length; row += 1) {
      const [x, y, u, v] = [former.x[row] - x0, former.y[row] - y0, trace.x[row] - u0, trace.y[row] - v0];
      xx += x * x;
      xy += x * y;
      yy += y * y;
      ux += u * x;
      uy += u * y;
      vx += v * x;
      vy += v * y;
    }
  }
  const spread = xx * yy - xy * xy;
  if (!(spread > 1e-9 * xx * yy)) return null;
  const map = [ux * yy - uy * xy, uy * xx - ux * xy, vx * yy - vy * xy, vy * xx - vx * xy].map((value) => value / spread);
  return Math.abs(map[0] * map[3] - map[1] * map[2]) < LEAST_DETERMINANT ? null : map;
}

/** @param {Trace} trace @returns {[number, number]} */
function mean({ x, y }) {
  let [right, up] = [0, 0];
  for (let i = 0; i < x.length; i += 1) {
    right += x[i];
    up += y[i];
  }
  return [right / x.length, up / x.length];
}
