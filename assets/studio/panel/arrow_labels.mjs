// The names in the picture of a panel, and the arrows that are drawn because theirs have room.
import { mode } from "../page/mode.mjs";
import { switches } from "../page/switches.mjs";
import { Names } from "../plane/names.mjs";
import { dressTraces } from "./features.mjs";
import { textScale } from "./painting.mjs";

const TOOLS_PX = [170, 44]; // room for the tools over the picture of Explore

/** @type {WeakMap<Panel, Names>} */
const namesOf = new WeakMap();

export function addArrowLabels() {
  dressTraces((trace, panel) => {
    // The first of the traces with names or arrows.
    if (trace.meta.kind === "class_names") namesOf.set(panel, placed(panel));
    namesOf.get(panel)?.dress(trace);
  });
}

/** Whether the arrow of this number is drawn. @param {Panel} panel @param {number} i */
export const isArrowDrawn = (panel, i) => namesOf.get(panel)?.isDrawn(i) ?? false;

/** The features of the arrows that are drawn. @param {Panel} panel @returns {number[]} */
export const drawnArrows = (panel) => namesOf.get(panel)?.drawnFeatures() ?? [];

/** @param {Panel} panel */
function placed(panel) {
  const { plane, figure, arrowLimit, unseen } = panel;
  const named = {
    plane,
    figure: figure.plane,
    surface: figure.surface,
    unseen,
    arrowLimit,
    textScale,
    has: { names: switches.names.value, centroids: switches.centroids.value },
    taken: (area) => (mode.value === "explore" ? [toolsIn(area)] : []),
  };
  return new Names(named, panel.axes(), panel.painting.shown().pixels);
}

const toolsIn = ({ right, top }) => ({ left: right - TOOLS_PX[0], right, top, bottom: top + TOOLS_PX[1] });
