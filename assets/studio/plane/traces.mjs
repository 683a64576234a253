// The traces of a plane by what they show.

/** Whether a trace shows rows. @param {{ meta?: TraceMeta }} trace or its style */
export const isPoints = ({ meta }) => meta?.kind === "train" || meta?.kind === "held_out";

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
};
