// What a viewer is shown of a talk, as the painter takes it. Pure functions.
import { PLANE_TRACE } from "../../constants.mjs";

/**
 * How a picture of a talk is viewed, as the presenter, or the viewer, has switched it.
 * @param {any} scene
 * @param {any} shown
 * @param {{ scheme: string, classes: number[] | null }} viewer
 * @returns {import("../../plane/painter.mjs").View}
 */
export function viewOf(scene, shown, { scheme, classes }) {
  const { titles, hidden, layers, selected, drawn, unseen } = shown;
  return {
    plane: shown,
    figure: scene.figures[scheme],
    titles,
    surface: scene.surfaces[scheme],
    hidden,
    layers,
    classes,
    selected,
    arrows: drawn,
    unseen,
  };
}

/**
 * What is said of a point: its class, and whatever the presenter lets viewers see of the row.
 * @param {any} scene
 * @param {number} trace
 * @param {number} index
 * @returns {string[]}
 */
export function wordsOf({ figures, names, rows }, trace, index) {
  const { meta } = figures.light.data[trace];
  const isHeldOut = meta.kind === PLANE_TRACE.heldOut;
  const name = names[meta.class];
  // Rows come by class, those of training and then those that are held out.
  const known = rows ? rows[(isHeldOut ? names.length : 0) + meta.class][index] : [];
  return [isHeldOut ? `${name}, held out` : name, ...known];
}
