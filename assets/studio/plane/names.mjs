// The names in a picture: those of the classes on their clouds, those of the features at the tips of
// their arrows. An arrow whose name has no room is not drawn.
import { numbers } from "./arrays.mjs";
import { verticesPer } from "./arrows.mjs";
import { escaped, fontOf } from "./canvas.mjs";
import { placeLabels, setApart, shortened } from "./label_placement.mjs";
import { along, drawnOn } from "./pixel_axes.mjs";

/** @typedef {import("./label_placement.mjs").Box} Box */

const LONGEST = 24;
const LINE_HEIGHT = 1.25;
const LIFT_PX = 17; // of the name of a class above the mark of its mean

/**
 * A plane with the names that are to be written in its picture.
 * @typedef {object} Named
 * @property {{ traces: Record<string, any>[], arrows: { features: number[], names: string[] } }} plane
 * @property {{ data: Trace[], layout: any }} figure the styles of its traces
 * @property {string} surface the color behind the picture
 * @property {Set<number>} unseen features without effect
 * @property {{ names: boolean, centroids: boolean }} has whether classes have names, and marks at their means
 * @property {number} [arrowLimit] how many arrows are drawn at most, the longest
 * @property {number[] | null} [arrows] the features whose arrows are drawn, and no others, where another
 *   screen has chosen them
 * @property {(kind: string) => number} [textScale] how much larger a text is than its style says
 * @property {(area: Box) => Box[]} [taken] where no name may be
 */

const PLAIN = { arrowLimit: Infinity, arrows: null, textScale: () => 1, taken: () => [] };

/** The widths of names that were measured. @type {Map<string, number>} */
const widths = new Map();
/** @type {CanvasRenderingContext2D} */
let pen; // that measures names

/** The width of a name in pixels. @param {string} name @param {{ size: number, family: string, weight?: number }} font */
function measured(name, font) {
  const key = `${fontOf(font)}/${name}`;
  if (!widths.has(key)) {
    if (widths.size > 5000) widths.clear();
    pen ??= document.createElement("canvas").getContext("2d");
    pen.font = fontOf(font);
    widths.set(key, pen.measureText(name).width);
  }
  return widths.get(key);
}

/** @type {(i: number) => boolean} */
const always = () => true;

/** Where the names of a picture are, decided once for all of its traces. */
export class Names {
  /**
   * @param {Named} named
   * @param {Axes} axes that are shown at least
   * @param {{ x: PixelAxis, y: PixelAxis, hasEqualUnits: boolean }} pixels
   * @param {typeof measured} [widthOf]
   */
  constructor(named, axes, pixels, widthOf = measured) {
    const { x, y } = pixels;
    const drawn = drawnOn(axes, pixels);
    this.named = { ...PLAIN, ...named };
    this.widthOf = widthOf;
    this.toX = along(drawn.x);
    this.toY = along(drawn.y);
    this.area = { left: x.offset, right: x.offset + x.length, top: y.offset, bottom: y.offset + y.length };
    this.classBoxes = this.placedClasses();
    /** Of every arrow where its name is, null where it is not drawn. */
    this.places = this.placedArrows();
  }

  /** Whether the arrow of this number is drawn. @param {number} i */
  isDrawn(i) {
    return Boolean(this.places[i]);
  }

  /** The features of the arrows that are drawn. @returns {number[]} */
  drawnFeatures() {
    return this.kept(this.named.plane.arrows.features, 1);
  }

  /** Changes a trace of arrows or of names to what is drawn of it; leaves others. @param {Trace} trace */
  dress(trace) {
    const { kind } = trace.meta;
    if (kind === "faint_arrows") this.dressLines(trace, (i) => this.isFaint(i));
    else if (kind === "arrow_lines") this.dressLines(trace, (i) => !this.isFaint(i));
    else if (kind === "arrow_heads") this.dressHeads(trace);
    else if (kind === "class_names") this.dressClassNames(trace);
  }

  isFaint(i) {
    return this.named.unseen.has(this.named.plane.arrows.features[i]);
  }

  /** @param {PlaneTrace} kind */
  arraysOf(kind) {
    return this.named.plane.traces[this.named.figure.data.findIndex(({ meta }) => meta.kind === kind)];
  }

  /** @param {PlaneTrace} kind */
  styleOf(kind) {
    return this.named.figure.data.find(({ meta }) => meta.kind === kind);
  }

  /** @param {PlaneTrace} kind */
  fontOf(kind) {
    const { textfont } = this.styleOf(kind);
    return { ...textfont, size: this.named.textScale(kind) * textfont.size };
  }

  // Some of the lines that came with the plane, with the features that they are of.
  dressLines(trace, isOfTrace) {
    const { features } = this.named.plane.arrows;
    const lines = this.arraysOf("arrow_lines");
    const per = verticesPer(/** @type {Trace} */ (lines), features.length);
    for (const key of ["x", "y"]) trace[key] = this.kept(lines[key], per, isOfTrace);
    trace.features = this.kept(features, 1, isOfTrace);
  }

  dressHeads(trace) {
    const { plane, figure, surface } = this.named;
    const { arrows } = plane;
    const faintInk = figure.layout.xaxis.tickfont.color;
    const colors = arrows.features.map((_, i) => (this.isFaint(i) ? faintInk : trace.marker.color));
    trace.marker = { ...trace.marker, color: this.kept(colors, 1), angle: this.kept(trace.marker.angle, 1) };
    trace.textfont = { ...trace.textfont, color: trace.marker.color };
    trace.features = this.kept(arrows.features, 1);
    for (const key of ["x", "y"]) trace[key] = this.kept(trace[key], 1);
    trace.textposition = this.places.filter(Boolean);
    trace.text = this.kept(arrows.names, 1).map((name) => escaped(shortened(name, LONGEST)));
    trace.halo = surface;
  }

  dressClassNames(trace) {
    const perUnit = this.toY(1) - this.toY(0);
    trace.halo = this.named.surface;
    trace.y = this.classBoxes.map(({ top, bottom }) => ((top + bottom) / 2 - this.toY(0)) / perUnit);
  }

  /** @returns {any[]} */
  kept(values, per, isOfTrace = always) {
    return Array.from(values).filter((_, at) => {
      const i = Math.floor(at / per);
      return this.isDrawn(i) && isOfTrace(i);
    });
  }

  placedArrows() {
    const { plane, arrowLimit, arrows: only, has, taken } = this.named;
    const { features, names } = plane.arrows;
    const font = this.fontOf("arrow_heads");
    const { x, y } = this.arraysOf("arrow_lines");
    const per = verticesPer(/** @type {Trace} */ ({ x }), names.length);
    const wanted = [...names.keys()].filter((i) => i < arrowLimit && (only?.includes(features[i]) ?? true));
    const tips = wanted.map((i) => ({
      from: /** @type {[number, number]} */ ([this.toX(x[per * i]), this.toY(y[per * i])]),
      at: /** @type {[number, number]} */ ([this.toX(x[per * i + 1]), this.toY(y[per * i + 1])]),
      width: this.widthOf(shortened(names[i], LONGEST), font),
      height: LINE_HEIGHT * font.size,
    }));
    const closed = [...(has.names ? this.classBoxes : []), ...taken(this.area)];
    const places = placeLabels(tips, this.area, closed, only !== null);
    return names.map((_, i) => places[wanted.indexOf(i)] ?? null);
  }

  // The names of the classes are at their clouds, clear of each other and of what is taken.
  placedClasses() {
    const style = this.styleOf("class_names");
    const arrays = this.arraysOf("class_names");
    const [x, y] = [numbers(arrays.x), numbers(arrays.y)];
    const font = this.fontOf("class_names");
    const halfHeight = (LINE_HEIGHT * font.size) / 2;
    const lift = this.named.has.centroids ? LIFT_PX : 0;
    const boxes = style.text.map((name, i) => {
      const [half, left, top] = [this.widthOf(name, font) / 2, this.toX(x[i]), this.toY(y[i]) - lift];
      return { left: left - half, right: left + half, top: top - halfHeight, bottom: top + halfHeight };
    });
    return setApart(boxes, this.named.taken(this.area));
  }
}
