// The names in a picture: those of the classes on their clouds, those of the features at the tips of
// their arrows. An arrow whose name has no room is not drawn.
import { PLANE_TRACE } from "../constants.mjs";
import { mode } from "../page/mode.mjs";
import { switches } from "../page/switches.mjs";
import { numbers } from "../plane/arrays.mjs";
import { verticesPer } from "../plane/arrows.mjs";
import { fontOf } from "../plane/canvas.mjs";
import { placeLabels, setApart, shortened } from "../plane/label_placement.mjs";
import { escaped, pixelAxes, shownRanges } from "../plane/plotly.mjs";
import { scale } from "../plane/scales.mjs";
import { dressTraces } from "./features.mjs";
import { textScale } from "./painting.mjs";

/** @typedef {import("./panel.mjs").Panel} Panel */
/** @typedef {import("../types").Trace} Trace */

const LONGEST = 24;
const LINE_HEIGHT = 1.25;
const LIFT_PX = 17; // of the name of a class above the mark of its mean
const TOOLS_PX = [170, 44]; // room for the tools over the picture of Explore

/** @type {CanvasRenderingContext2D} */
let pen; // that measures names
/** The widths of names that were measured. @type {Map<string, number>} */
const widths = new Map();

/** @type {WeakMap<Panel, (string | null)[]>} */
const placesOf = new WeakMap();

export function addArrowLabels() {
  dressTraces((trace, panel) => {
    const { kind } = trace.meta;
    if (kind === PLANE_TRACE.faintArrows) {
      placesOf.set(panel, placed(panel));
      drawArrows(trace, panel, (i) => isFaint(panel, i));
    } else if (kind === PLANE_TRACE.arrowLines) {
      drawArrows(trace, panel, (i) => !isFaint(panel, i));
    } else if (kind === PLANE_TRACE.arrowHeads) {
      nameArrows(trace, panel);
    } else if (kind === PLANE_TRACE.classNames) {
      trace.halo = haloOf(panel);
      trace.y = heights(classBoxes(panel), pixels(panel));
    }
  });
}

/** Whether the arrow of this number is drawn. @param {Panel} panel @param {number} i */
export const isArrowDrawn = (panel, i) => Boolean(placesOf.get(panel)?.[i]);

const heights = (boxes, { toY }) =>
  boxes.map(({ top, bottom }) => ((top + bottom) / 2 - toY(0)) / (toY(1) - toY(0)));

/** Whether no effect is seen of the feature of an arrow. @param {Panel} panel @param {number} i */
const isFaint = ({ plane, unseen }, i) => unseen.has(plane.arrows.features[i]);

// Some of the lines that came with the plane, with the features that they are of.
function drawArrows(trace, panel, isDrawn) {
  const { plane, figure } = panel;
  const places = placesOf.get(panel).map((place, i) => (isDrawn(i) ? place : null));
  const lines = plane.traces[figure.plane.data.findIndex(({ meta }) => meta.kind === PLANE_TRACE.arrowLines)];
  const per = verticesPer(lines, plane.arrows.names.length);
  for (const key of ["x", "y"]) trace[key] = kept(lines[key], places, per);
  trace.features = kept(plane.arrows.features, places, 1);
}

// The lines come before the heads, so the places are known.
function nameArrows(trace, panel) {
  const places = placesOf.get(panel);
  const faint = panel.figure.plane.layout.xaxis.tickfont.color;
  const colors = places.map((_, i) => (isFaint(panel, i) ? faint : trace.marker.color));
  trace.marker.color = kept(colors, places, 1);
  trace.textfont = { ...trace.textfont, color: trace.marker.color };
  trace.features = kept(panel.plane.arrows.features, places, 1);
  for (const key of ["x", "y"]) trace[key] = kept(trace[key], places, 1);
  trace.marker = { ...trace.marker, angle: kept(trace.marker.angle, places, 1) };
  trace.textposition = places.filter(Boolean);
  trace.text = kept(panel.plane.arrows.names, places, 1).map((name) => escaped(shortened(name, LONGEST)));
  trace.halo = haloOf(panel);
}

/** @returns {any[]} */
const kept = (values, places, per) =>
  Array.from(values).filter((_, i) => places[Math.floor(i / per)]);

const haloOf = ({ figure }) => figure.surface;

// Where each arrow's name is, null where the arrow is not drawn.
function placed(panel) {
  const { plane, figure, arrowLimit } = panel;
  const of = (kind) => figure.plane.data.findIndex(({ meta }) => meta.kind === kind);
  const [lines, heads] = [PLANE_TRACE.arrowLines, PLANE_TRACE.arrowHeads].map(of);
  const { toX, toY, area } = pixels(panel);
  const font = enlarged(figure.plane.data[heads]);
  const { x, y } = plane.traces[lines];
  const per = verticesPer(plane.traces[lines], plane.arrows.names.length);
  const tips = plane.arrows.names.slice(0, arrowLimit).map((name, i) => ({
    from: /** @type {[number, number]} */ ([toX(x[per * i]), toY(y[per * i])]),
    at: /** @type {[number, number]} */ ([toX(x[per * i + 1]), toY(y[per * i + 1])]),
    width: widthOf(shortened(name, LONGEST), font),
    height: LINE_HEIGHT * font.size,
  }));
  const taken = switches.names.value ? classBoxes(panel) : [];
  if (mode.value === "explore") taken.push({ left: area.right - TOOLS_PX[0], right: area.right, top: area.top, bottom: area.top + TOOLS_PX[1] });
  return placeLabels(tips, area, taken);
}

// Where the names of the classes are written: at their clouds, clear of each other.
function classBoxes(panel) {
  const { plane, figure } = panel;
  const { toX, toY } = pixels(panel);
  const at = figure.plane.data.findIndex(({ meta }) => meta.kind === PLANE_TRACE.classNames);
  const style = figure.plane.data[at];
  const [x, y] = [numbers(plane.traces[at].x), numbers(plane.traces[at].y)];
  const font = enlarged(style);
  const halfHeight = (LINE_HEIGHT * font.size) / 2;
  const boxes = style.text.map((name, i) => {
    const [half, left, top] = [widthOf(name, font) / 2, toX(x[i]), toY(y[i]) - (switches.centroids.value ? LIFT_PX : 0)];
    return { left: left - half, right: left + half, top: top - halfHeight, bottom: top + halfHeight };
  });
  return setApart(boxes);
}

const enlarged = ({ meta, textfont }) => ({ ...textfont, size: textScale(meta.kind) * textfont.size });

function pixels(panel) {
  const axes = pixelAxes(panel.part("plot"), panel.figure.plane.layout);
  const [xRange, yRange] = shownRanges(panel.axes(), axes);
  const { x, y } = axes;
  return {
    toX: scale(xRange, x.offset, x.length),
    toY: scale(yRange, y.offset + y.length, -y.length),
    area: { left: x.offset, right: x.offset + x.length, top: y.offset, bottom: y.offset + y.length },
  };
}

function widthOf(name, font) {
  const key = `${fontOf(font)}/${name}`;
  if (!widths.has(key)) {
    if (widths.size > 5000) widths.clear();
    pen ??= document.createElement("canvas").getContext("2d");
    pen.font = fontOf(font);
    widths.set(key, pen.measureText(name).width);
  }
  return widths.get(key);
}
