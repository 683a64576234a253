// What panels can do beyond drawing: features are added to every panel, and change how its plane is viewed.

/** @type {((panel: Panel) => void)[]} */
const features = [];
/** @type {((view: View, panel: Panel) => void)[]} */
const changes = [];

/** Calls back with every new panel. @param {(panel: Panel) => void} feature */
export const addToPanels = (feature) => features.push(feature);

/**
 * Lets a function change the view of every plane before it is drawn, after those that were added earlier.
 * @param {(view: View, panel: Panel) => void} change
 */
export const addToViews = (change) => changes.push(change);

/** @param {Panel} panel */
export function extend(panel) {
  for (const feature of features) feature(panel);
}

/** @param {View} view @param {Panel} panel */
export function changeView(view, panel) {
  for (const change of changes) change(view, panel);
}
