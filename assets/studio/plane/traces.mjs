// The traces of a plane by what they show, and what switches them on.
import { MORE_LAYERS } from "../constants.mjs";

/** Whether a trace shows rows. @param {{ meta?: TraceMeta }} trace or its style */
export const isPoints = ({ meta }) => meta?.kind === "train" || meta?.kind === "held_out";

/**
 * Which points are those of some rows, by trace of points in their order.
 * @param {{ meta?: TraceMeta }[]} styles of the traces of a figure
 * @param {number[][]} rows of each trace, by number
 * @param {Set<number>} wanted
 */
export const pointsOfRows = (styles, rows, wanted) =>
  rows.filter((_, i) => isPoints(styles[i])).map((own) => own.flatMap((row, at) => (wanted.has(row) ? [at] : [])));

/** The switches of the page, by the traces that they show or hide. @type {Partial<Record<PlaneTrace, string>>} */
export const SWITCHED_BY = {
  class_names: "names",
  contour: "contours",
  faint_arrows: "arrows",
  arrow_lines: "arrows",
  arrow_heads: "arrows",
  class_ellipse: "class_ellipses",
  mean_ellipse: "mean_ellipses",
  centroid: "centroids",
  fitted_outline: "contours",
};

/**
 * Whether a view has a switch on: a layer is off until it is asked for, another switch is on until it is not.
 * @param {Pick<View, "hidden" | "layers">} view
 * @param {string} name
 */
export const isOn = ({ hidden, layers }, name) => (MORE_LAYERS.includes(name) ? layers.includes(name) : !hidden.includes(name));
