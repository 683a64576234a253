// A small picture of a plane: its points and contours.
import { PLANE_TRACE } from "../constants.mjs";
import { clearedPen, drawTrace } from "./canvas.mjs";
import { scale, withEqualUnits } from "./scales.mjs";

/** @type {string[]} */
const SHOWN = [PLANE_TRACE.contour, PLANE_TRACE.train, PLANE_TRACE.heldOut];
const MARK_PX = 3;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Trace[]} styles of the traces of the plane
 * @param {Pick<Plane, "traces" | "limits">} plane
 */
export function drawSmallPlane(canvas, styles, { traces, limits }) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = clearedPen(canvas, [width, height]);
  const [x, y] = withEqualUnits(limits, [width, height]);
  const across = scale(x, 0, width);
  const up = scale(y, height, -height);
  for (const [i, style] of styles.entries()) {
    if (!SHOWN.includes(style.meta.kind)) continue;
    const trace = { ...style, ...traces[i] };
    if (style.marker) trace.marker = { ...style.marker, size: MARK_PX };
    drawTrace(pen, trace, Array.from(trace.x, across), Array.from(trace.y, up));
  }
}
