// The switches of the page, by the traces that they show or hide.
import { PLANE_TRACE } from "../constants.mjs";

/** @type {Record<string, string>} */
export const SWITCHED_BY = {
  [PLANE_TRACE.classNames]: "names",
  [PLANE_TRACE.contour]: "contours",
  [PLANE_TRACE.arrowLines]: "arrows",
  [PLANE_TRACE.arrowHeads]: "arrows",
  [PLANE_TRACE.classEllipse]: "class_ellipses",
  [PLANE_TRACE.meanEllipse]: "mean_ellipses",
  [PLANE_TRACE.centroid]: "centroids",
};
