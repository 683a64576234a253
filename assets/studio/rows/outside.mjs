// Rows beyond the picture: a mark at its edge for each, and how many they are; before that, which rows
// of a registered table the picture is of.
import { write } from "../page/dom.mjs";
import { addToPanels, addToViews } from "../panel/features.mjs";
import { markersOf } from "../plane/dress.mjs";
import { knownPoints, knownRows } from "./row_layer.mjs";

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
/** @param {View} view @param {Panel} panel @returns {Trace} */
function marksOf({ figure: { data } }, panel) {
  const { painting, plane } = panel;
  const { classes } = knownRows(panel, plane);
  const { x, y } = knownPoints(panel, plane);
  const found = painting.isZoomed() ? [] : edgeMarks(x, y, painting.shown().axes);
  panel.nOutside = found.length;
  const marks = markersOf(data).flatMap(({ color }, code) => {
    const own = found.filter(({ row }) => classes[row] === code);
    return own.filter((_, i) => i % Math.ceil(own.length / MOST_MARKS) === 0).map((mark) => ({ ...mark, color }));
  });
  const style = data.find(({ meta }) => meta.kind === "outside");
  const each = (key) => marks.map((mark) => mark[key]);
  const text = marks.map(() => "outside the picture");
  return { ...style, x: each("x"), y: each("y"), text, marker: { ...style.marker, angle: each("angle"), color: each("color") } };
}

/**
 * Marks at the edge for the points beyond some ranges, which point towards them.
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} y
 * @param {Axes} ranges
 */
export function edgeMarks(x, y, [[left, right], [bottom, top]]) {
  const marks = [];
  const [insetX, insetY] = [INSET * (right - left), INSET * (top - bottom)];
  for (let row = 0; row < x.length; row += 1) {
    if (x[row] >= left && x[row] <= right && y[row] >= bottom && y[row] <= top) continue;
    const atX = Math.min(Math.max(x[row], left + insetX), right - insetX);
    const atY = Math.min(Math.max(y[row], bottom + insetY), top - insetY);
    // Clockwise from upwards, as plotly turns markers.
    const angle = Math.round((Math.atan2(x[row] - atX, y[row] - atY) * 180) / Math.PI);
    marks.push({ row, x: atX, y: atY, angle });
  }
  return marks;
}
