// What is requested of the server for a figure for print: panels as they are on screen, and a style.

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

const PREVIEW_DPI = 144;
const MM_PER_INCH = 25.4;
const MOST_PREVIEW_PIXELS = 1600; // along the longer side

/**
 * What a panel shows.
 * @param {Pick<Panel, "run" | "plane" | "arrowLimit" | "query" | "axes" | "painting">} panel
 * @param {{ classes: number[] | null, rows: Set<number> | null, colorBy: string | null, shapeBy: string | null }} shown
 */
export function panelRequest(panel, { classes, rows, colorBy, shapeBy }) {
  return {
    run: panel.run,
    plane: panel.plane.sequence,
    view: Object.fromEntries(panel.query()),
    limits: panel.axes(),
    marks_outside: !panel.painting.isZoomed(),
    n_arrows: Number.isFinite(panel.arrowLimit) ? panel.arrowLimit : null,
    color_by: colorBy,
    shape_by: shapeBy,
    classes,
    rows: rows && [...rows],
  };
}

/**
 * The style of a preview: that of the file, at the resolution of a screen.
 * @param {{ width: number, height: number, dpi: number }} style
 */
export function previewStyle(style) {
  const longest = Math.max(style.width, style.height) / MM_PER_INCH;
  return { ...style, dpi: Math.round(Math.max(72, Math.min(PREVIEW_DPI, MOST_PREVIEW_PIXELS / longest))) };
}

/**
 * The name of the size, among those on offer, or "" for another.
 * @param {number} width
 * @param {number} height
 * @param {string[]} sizes as "85x85"
 */
export const sizeName = (width, height, sizes) => sizes.find((size) => size === `${width}x${height}`) ?? "";
