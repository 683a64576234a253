// Written by lab/page_constants.py: what the page shares with Python. Do not edit.

/** What the page can show. */
export const MODES = Object.freeze(["explore", "compare", "present"]);

/** Switches, by their name in the state. */
export const SWITCHES = Object.freeze(["linked", "aligned", "contours", "arrows", "names", "verdict"]);

/** Layers that are off until they are asked for. */
export const MORE_LAYERS = Object.freeze(["class_ellipses", "mean_ellipses", "centroids"]);

/** States that a run never leaves. */
export const FINAL_STATES = Object.freeze(["done", "failed", "cancelled", "lost"]);

/** Shares of rows below a bend's vertices. */
export const PATH_SHARES = Object.freeze([0.01, 0.07, 0.13, 0.19, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.5625, 0.625, 0.6875, 0.75, 0.81, 0.87, 0.93, 0.99]);

/** Opacities of pixels in which rows crowd. */
export const CROWDING = Object.freeze({
  alone: 0.85,
  solid: 0.96,
  fading: 0.45,
  faintest: 0.3,
  aside: 0.04,
});

/** The color of rows without a class. */
export const UNLABELED_COLOR = "#868e96";

/** Where a new tab finds the table chosen last. */
export const LAST_SOURCE = "last-source";

/** Significant digits of a kernel width. */
export const GAMMA_DIGITS = 3;
