// The names at the tips of arrows, where a small picture has room for them.
import { PLANE_TRACE } from "../constants.mjs";
import { fontOf } from "../drawing/canvas.mjs";
import { scale } from "../drawing/scales.mjs";
import { placeLabels } from "../panel/label_placement.mjs";

const PER_SEGMENT = 3; // origin, tip, and the gap before the next segment
const LINE_HEIGHT = 1.25;

/**
 * The traces with every name of an arrow where it is clear of the others and of the edges, or left out.
 * @param {import("../types").Trace[]} traces
 * @param {import("../types").Axes} ranges that are shown
 * @param {{ x: import("../types").PixelAxis, y: import("../types").PixelAxis }} axes
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
    const named = text.flatMap((name, i) => (name ? [i] : []));
    const tips = named.map((i) => ({
      from: at(PER_SEGMENT * i),
      at: at(PER_SEGMENT * i + 1),
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
