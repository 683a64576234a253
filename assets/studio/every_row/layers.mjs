// The layers of all rows, one for each panel, and what of the figure gives way to them.
import { addToPanels, dressTraces } from "../panel/features.mjs";
import { onChange } from "../state.mjs";
import { shownPanels } from "../panel/panels.mjs";
import { drawsSample, RowLayer } from "./layer.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

/** @type {WeakMap<Panel, RowLayer>} */
const layers = new WeakMap();

export function addRowLayers() {
  addToPanels((panel) => layers.set(panel, new RowLayer(panel)));
  dressTraces((trace, panel) => {
    if (panel.figure.is_sample && drawsSample(trace) && layers.get(panel).showsAll(panel.plane)) trace.visible = false;
  });
  onChange("rows", () => shownPanels().forEach((panel) => layers.get(panel).redress()));
}

/**
 * The layer of a panel where it draws a plane, by default the one on screen; else null.
 * @param {Panel} panel
 */
export function shownLayer(panel, plane = panel.painting.plane) {
  const layer = layers.get(panel);
  return layer?.shows(plane) ? layer : null;
}

/** Dresses every row by columns. @param {Panel} panel @param {RowLayer["columns"]} columns */
export const dressByColumns = (panel, columns) => layers.get(panel).setColumns(columns);
