// The names in a picture: those of the classes on their clouds, those of the features at the tips of
// their arrows. An arrow whose name has no room is not drawn.
import { numbers } from "./arrays.mjs";
import { verticesPer } from "./arrows.mjs";
import { escaped, fontOf } from "./canvas.mjs";
import { placeLabels, toldApart, withRoom } from "./label_placement.mjs";
import { along, drawnOn } from "./pixel_axes.mjs";
import { isOn } from "./traces.mjs";

const LONGEST = 24;
const LINE_HEIGHT = 1.25;
const LIFT_PX = 17; // of the name of a class above the mark of its mean

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
   * @param {View} view
   * @param {Axes} axes that are shown at least
   * @param {{ x: PixelAxis, y: PixelAxis, hasEqualUnits: boolean }} pixels
   * @param {typeof measured} [widthOf]
   */
  constructor(view, axes, pixels, widthOf = measured) {
    const { x, y } = pixels;
    const drawn = drawnOn(axes, pixels);
    this.view = view;
    this.unseen = new Set(view.unseen);
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
    return this.kept(this.view.plane.arrows.features, 1);
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
    return this.unseen.has(this.view.plane.arrows.features[i]);
  }

  /** @param {PlaneTrace} kind */
  arraysOf(kind) {
    return this.view.plane.traces[this.view.figure.data.findIndex(({ meta }) => meta.kind === kind)];
  }

  /** @param {PlaneTrace} kind */
  styleOf(kind) {
    return this.view.figure.data.find(({ meta }) => meta.kind === kind);
  }

  /** @param {PlaneTrace} kind */
  fontOf(kind) {
    const { textfont } = this.styleOf(kind);
    return { ...textfont, size: this.view.sizes.text(kind) * textfont.size };
  }

  // Some of the lines that came with the plane, with the features that they are of.
  dressLines(trace, isOfTrace) {
    const { features } = this.view.plane.arrows;
    const lines = this.arraysOf("arrow_lines");
    const per = verticesPer(/** @type {Trace} */ (lines), features.length);
    for (const key of ["x", "y"]) trace[key] = this.kept(lines[key], per, isOfTrace);
    trace.features = this.kept(features, 1, isOfTrace);
  }

  dressHeads(trace) {
    const { plane, figure, surface } = this.view;
    const { arrows } = plane;
    const faintInk = figure.layout.xaxis.tickfont.color;
    const colors = arrows.features.map((_, i) => (this.isFaint(i) ? faintInk : trace.marker.color));
    trace.marker = { ...trace.marker, color: this.kept(colors, 1), angle: this.kept(trace.marker.angle, 1) };
    trace.textfont = { ...trace.textfont, color: trace.marker.color };
    trace.features = this.kept(arrows.features, 1);
    for (const key of ["x", "y"]) trace[key] = this.kept(trace[key], 1);
    trace.textposition = this.places.filter(Boolean);
    trace.text = this.kept(this.shownNames, 1).map(escaped);
    trace.halo = surface;
  }

  dressClassNames(trace) {
    const perUnit = [this.toX(1) - this.toX(0), this.toY(1) - this.toY(0)];
    trace.halo = this.view.surface;
    if (this.view.every?.drawn.labeled) trace.textfont = { ...trace.textfont, color: this.view.figure.layout.font.color };
    trace.text = trace.text.map((name, i) => (this.classBoxes[i] ? name : ""));
    trace.x = this.classBoxes.map((box, i) => (box ? ((box.left + box.right) / 2 - this.toX(0)) / perUnit[0] : trace.x[i]));
    trace.y = this.classBoxes.map((box, i) => (box ? ((box.top + box.bottom) / 2 - this.toY(0)) / perUnit[1] : trace.y[i]));
  }

  /** @returns {any[]} */
  kept(values, per, isOfTrace = always) {
    return Array.from(values).filter((_, at) => {
      const i = Math.floor(at / per);
      return this.isDrawn(i) && isOfTrace(i);
    });
  }

  placedArrows() {
    const { plane, arrowLimit, arrows: only } = this.view;
    const { features, names: plain, labels: names = plain } = plane.arrows;
    const font = this.fontOf("arrow_heads");
    const { x, y } = this.arraysOf("arrow_lines");
    const per = verticesPer(/** @type {Trace} */ ({ x }), names.length);
    const wanted = [...names.keys()].filter((i) => i < arrowLimit && (only?.includes(features[i]) ?? true));
    const shown = toldApart(wanted.map((i) => names[i]), LONGEST);
    this.shownNames = names.map((_, i) => shown[wanted.indexOf(i)] ?? "");
    const tips = wanted.map((i, at) => ({
      from: /** @type {[number, number]} */ ([this.toX(x[per * i]), this.toY(y[per * i])]),
      at: /** @type {[number, number]} */ ([this.toX(x[per * i + 1]), this.toY(y[per * i + 1])]),
      width: this.widthOf(shown[at], font),
      height: LINE_HEIGHT * font.size,
    }));
    const closed = isOn(this.view, "names") ? this.classBoxes.filter(Boolean) : [];
    const places = placeLabels(tips, this.area, closed, only !== null);
    return names.map((_, i) => places[wanted.indexOf(i)] ?? null);
  }

  /** Whether every row of a class lies under a box, as those of a plane that fits them too well. @param {Box} box @param {number} code */
  hides(box, code) {
    const at = this.view.figure.data.findIndex(({ meta }) => meta.kind === "train" && meta.class === code);
    const { x, y } = this.view.plane.traces[at] ?? { x: [], y: [] };
    const isUnder = (value, row) => {
      const [across, down] = [this.toX(value), this.toY(y[row])];
      return across > box.left && across < box.right && down > box.top && down < box.bottom;
    };
    return x.length > 0 && x.every(isUnder);
  }

  // Where the middle of a name is that would be cut at the edge, though its cloud is in the picture.
  aside(at, half) {
    const { left, right } = this.area;
    return at < left || at > right ? at : Math.max(left + half, Math.min(right - half, at));
  }

  // The names of the classes are at their clouds, clear of each other; a row under the pointer names its own.
  placedClasses() {
    const style = this.styleOf("class_names");
    const arrays = this.arraysOf("class_names");
    const [x, y] = [numbers(arrays.x), numbers(arrays.y)];
    const font = this.fontOf("class_names");
    const halfHeight = (LINE_HEIGHT * font.size) / 2;
    const lift = isOn(this.view, "centroids") ? LIFT_PX : 0;
    const boxes = style.text.map((name, i) => {
      const [half, middle] = [this.widthOf(name, font) / 2, this.toY(y[i])];
      const at = this.aside(this.toX(x[i]), half);
      const over = { left: at - half, right: at + half, top: middle - halfHeight, bottom: middle + halfHeight };
      const up = this.hides(over, i) ? Math.max(lift, LIFT_PX) : lift;
      return { ...over, top: over.top - up, bottom: over.bottom - up };
    });
    return withRoom(boxes, this.area, (i) => this.view.classes?.includes(i) ?? false);
  }
}
