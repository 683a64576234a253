// What a viewer sees of a plane: the traces of the figure with the arrays of the plane, as the
// presenter, or the viewer, has switched them. Pure functions.
import { MORE_LAYERS, PLANE_TRACE } from "../../constants.mjs";
import { verticesPer } from "../../plane/arrows.mjs";
import { fontOf } from "../../plane/canvas.mjs";
import { placeLabels } from "../../plane/label_placement.mjs";
import { scale } from "../../plane/scales.mjs";
import { isPoints, POINT_KINDS, SWITCHED_BY } from "../../plane/traces.mjs";

/** @typedef {import("../../types").Trace} Trace */

const FAINT = 0.1; // as where the presenter selects rows and classes

/**
 * The traces of a picture.
 * @param {any} scene
 * @param {any} shown
 * @param {{ scheme: string, classes: number[] | null }} view
 * @returns {Trace[]}
 */
export function tracesOf(scene, shown, { scheme, classes }) {
  const places = placesOf(scene, shown.selected);
  return scene.figures[scheme].data.map((style, i) => {
    const arrays = shown.traces[i];
    const trace = { ...style, ...arrays, x: arrays.x ?? [], y: arrays.y ?? [], halo: scene.surfaces[scheme] };
    if (arrays.marker) trace.marker = { ...style.marker, ...arrays.marker };
    const { kind, class: code } = style.meta;
    if (kind in SWITCHED_BY) trace.visible = isOn(SWITCHED_BY[kind], shown);
    const isAside = code !== undefined && classes !== null && !classes.includes(code);
    if (!isPoints(style)) trace.visible = trace.visible !== false && !isAside;
    else dressPoints(trace, isAside, places?.[i]);
    return trace;
  });
}

function dressPoints(trace, isAside, places) {
  if (isAside) trace.opacity = FAINT;
  if (!places) return;
  trace.selectedpoints = places;
  trace.unselected = { marker: { opacity: FAINT } };
}

// A layer is off until it is asked for, a switch is on until it is not.
const isOn = (name, { hidden, layers }) =>
  MORE_LAYERS.includes(name) ? layers.includes(name) : !hidden.includes(name);

// The selected points by trace: they come by class, of training and then of held-out rows.
function placesOf(scene, selected) {
  if (!selected) return null;
  const { data } = scene.figures.light;
  return data.map(({ meta }) => listed(meta, scene, selected));
}

const listed = ({ kind, class: code }, { names }, lists) =>
  POINT_KINDS.includes(kind) ? lists[(kind === PLANE_TRACE.heldOut ? names.length : 0) + code] : undefined;

/**
 * The point nearest to a place, within a distance in pixels; null for none.
 * @param {Trace[]} traces
 * @param {import("../../types").Point} place in pixels
 * @param {(point: import("../../types").Point) => import("../../types").Point} toPixels
 * @param {number} reach in pixels
 * @returns {{ trace: number, index: number, at: import("../../types").Point } | null}
 */
export function nearestPoint(traces, place, toPixels, reach) {
  let best = null;
  let least = reach;
  traces.forEach(({ meta, x, y, opacity = 1 }, trace) => {
    if (!POINT_KINDS.includes(meta.kind) || opacity < 1) return;
    for (let index = 0; index < x.length; index += 1) {
      const at = toPixels([x[index], y[index]]);
      const distance = Math.hypot(at[0] - place[0], at[1] - place[1]);
      if (distance < least) [least, best] = [distance, { trace, index, at }];
    }
  });
  return best;
}

/**
 * What is said of a point: its class, and whatever the presenter lets viewers see of the row.
 * @param {any} scene
 * @param {number} trace
 * @param {number} index
 * @returns {string[]}
 */
export function wordsOf(scene, trace, index) {
  const { meta } = scene.figures.light.data[trace];
  const name = scene.names[meta.class];
  const known = scene.rows ? listed(meta, scene, scene.rows)[index] : [];
  return [meta.kind === PLANE_TRACE.heldOut ? `${name}, held out` : name, ...known];
}

// The names at the tips of arrows, where a small picture has room for them.

const LINE_HEIGHT = 1.25;

/**
 * The traces with every name of an arrow where it is clear of the others and of the edges, or left out.
 * @param {import("../../types").Trace[]} traces
 * @param {import("../../types").Axes} ranges that are shown
 * @param {{ x: import("../../types").PixelAxis, y: import("../../types").PixelAxis }} axes
 * @param {(text: string, font: string) => number} widthOf in pixels
 */
export function withPlacedNames(traces, ranges, { x, y }, widthOf) {
  const lines = traces.find(({ meta }) => meta.kind === PLANE_TRACE.arrowLines);
  const toX = scale(ranges[0], x.offset, x.length);
  const toY = scale(ranges[1], y.offset + y.length, -y.length);
  const at = (i) => /** @type {[number, number]} */ ([toX(lines.x[i]), toY(lines.y[i])]);
  const area = { left: x.offset, right: x.offset + x.length, top: y.offset, bottom: y.offset + y.length };
  return traces.map((trace) => {
    if (trace.meta.kind !== PLANE_TRACE.arrowHeads || !trace.text) return trace;
    const { text, textfont } = trace;
    const per = verticesPer(lines, trace.x.length);
    const named = text.flatMap((name, i) => (name ? [i] : []));
    const tips = named.map((i) => ({
      from: at(per * i),
      at: at(per * i + 1),
      width: widthOf(text[i], fontOf(textfont)),
      height: LINE_HEIGHT * textfont.size,
    }));
    const places = new Map(placeLabels(tips, area, []).map((place, n) => [named[n], place]));
    return {
      ...trace,
      text: text.map((name, i) => (places.get(i) ? name : "")),
      textposition: text.map((_, i) => places.get(i) ?? "middle center"),
    };
  });
}
