// Rows beyond the picture: a mark at its edge for each, and how many they are; before that, which rows
// of a registered table the picture is of.
import { write } from "../page/dom.mjs";
import { addToPanels, addToViews } from "../panel/features.mjs";
import { numbers } from "../plane/arrays.mjs";
import { markersOf } from "../plane/dress.mjs";
import { shownLayer } from "./row_layer.mjs";
import { isPoints } from "../plane/traces.mjs";

const INSET = 0.012; // of a side, so that a mark is not cut
const DEPTH = "Component 3 is in depth: drag to turn";
const MOST_MARKS = 100; // of a class; more lie on top of each other

export function addOutside() {
  addToViews((view, panel) => view.added.push(marksOf(view, panel)));
  addToPanels((panel) => {
    panel.node.addEventListener("panel:painted", () => {
      const notes = [panel.plane.sample, outsideText(panel.nOutside ?? 0), panel.node.dataset.components === "3" && DEPTH];
      write(panel.part("drawn"), notes.filter(Boolean).join("\n"));
    });
  });
}

/** @param {number} count */
export function outsideText(count) {
  if (!count) return "";
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"} outside, at the edge`;
}

// What the user has zoomed out of is not outside.
/** @returns {Trace} */
function marksOf({ figure: { data } }, panel) {
  const [marks, color] = [{ x: [], y: [], angle: [] }, []];
  const { plane } = panel;
  const style = data.find(({ meta }) => meta.kind === "outside");
  panel.nOutside = 0;
  if (!panel.painting.isZoomed()) {
    const ranges = panel.painting.shown().axes;
    const every = shownLayer(panel, plane)?.outside(ranges);
    for (const [{ x, y }, ownColor] of every ? ofClasses(every, data) : ofTraces(plane, data)) {
      const found = edgeMarks(numbers(x), numbers(y), ranges);
      panel.nOutside += found.x.length;
      const kept = found.x.flatMap((_, at) => (at % Math.ceil(found.x.length / MOST_MARKS) === 0 ? [at] : []));
      for (const key of ["x", "y", "angle"]) marks[key].push(...kept.map((at) => found[key][at]));
      color.push(...kept.map(() => ownColor));
    }
  }
  const text = marks.x.map(() => "outside the picture");
  return { ...style, x: marks.x, y: marks.y, text, marker: { ...style.marker, angle: marks.angle, color } };
}

const ofTraces = ({ traces }, data) =>
  data.flatMap((style, i) => (isPoints(style) ? [[traces[i], style.marker.color]] : []));

const ofClasses = (every, data) => markersOf(data).map(({ color }, code) => [every[code], color]);

/**
 * Marks at the edge for the points beyond some ranges, which point towards them.
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} y
 * @param {Axes} ranges
 */
export function edgeMarks(x, y, [[left, right], [bottom, top]]) {
  const marks = { x: [], y: [], angle: [] };
  const [insetX, insetY] = [INSET * (right - left), INSET * (top - bottom)];
  for (let i = 0; i < x.length; i += 1) {
    if (x[i] >= left && x[i] <= right && y[i] >= bottom && y[i] <= top) continue;
    const atX = Math.min(Math.max(x[i], left + insetX), right - insetX);
    const atY = Math.min(Math.max(y[i], bottom + insetY), top - insetY);
    marks.x.push(atX);
    marks.y.push(atY);
    // Clockwise from upwards, as plotly turns markers.
    marks.angle.push(Math.round((Math.atan2(x[i] - atX, y[i] - atY) * 180) / Math.PI));
  }
  return marks;
}
