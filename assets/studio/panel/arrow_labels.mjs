// Arrow labels: keeps the names at the tips of the arrows within the picture.
import { PLANE_TRACE } from "../constants.mjs";
import { pixelAxes, shownRanges } from "../drawing/plotly.mjs";
import { dressTraces } from "./features.mjs";
import { placeLabel } from "./label_placement.mjs";

const GAP_PX = 8; // between a tip and its name

export function addArrowLabels() {
  const pen = document.createElement("canvas").getContext("2d");
  dressTraces((trace, panel) => {
    const isLabeled = trace.meta.kind === PLANE_TRACE.arrowHeads && trace.textposition && panel.limits;
    if (isLabeled) trace.textposition = placedLabels(pen, trace, panel);
  });
}

function placedLabels(pen, trace, panel) {
  const { textposition, textfont, text, x } = trace;
  const { low, perUnit, length } = horizontalAxis(panel);
  pen.font = `${textfont.size}px ${textfont.family}`;
  return textposition.map((place, i) => {
    const width = pen.measureText(text[i]).width + GAP_PX;
    const left = (x[i] - low) * perUnit;
    return placeLabel(place, width, { left, right: length - left });
  });
}

function horizontalAxis(panel) {
  const axes = pixelAxes(panel.part("plot"), panel.figure.plane.layout);
  const [[low, high]] = shownRanges(panel.axes(), axes);
  const { length } = axes.x;
  return { low, perUnit: length / (high - low), length };
}
