// The traces of a plane by what they show.
import { PLANE_TRACE } from "../constants.mjs";

/** Whether a trace shows rows. @param {{ meta?: { kind: string } }} trace or its style */
export const isPoints = ({ meta }) => meta?.kind === PLANE_TRACE.train || meta?.kind === PLANE_TRACE.heldOut;

/** The switches of the page, by the traces that they show or hide. @type {Record<string, string>} */
export const SWITCHED_BY = {
  [PLANE_TRACE.classNames]: "names",
  [PLANE_TRACE.contour]: "contours",
  [PLANE_TRACE.faintArrows]: "arrows",
  [PLANE_TRACE.arrowLines]: "arrows",
  [PLANE_TRACE.arrowHeads]: "arrows",
  [PLANE_TRACE.classEllipse]: "class_ellipses",
  [PLANE_TRACE.meanEllipse]: "mean_ellipses",
  [PLANE_TRACE.centroid]: "centroids",
};
