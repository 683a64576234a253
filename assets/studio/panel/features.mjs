// What panels can do beyond drawing: features are added to every panel, dressers change its traces.

/** @type {((panel: Panel) => void)[]} */
const features = [];
/** @type {((trace: Trace, panel: Panel, position: number) => void)[]} */
const dressers = [];
/** @type {((panel: Panel) => Trace[])[]} */
const sources = [];

/** Calls back with every new panel. @param {(panel: Panel) => void} feature */
export const addToPanels = (feature) => features.push(feature);

/**
 * Lets a function change every trace before it is drawn, after those that were added earlier.
 * @param {(trace: Trace, panel: Panel, position: number) => void} dresser
 */
export const dressTraces = (dresser) => dressers.push(dresser);

/** Adds traces over those of the plane. @param {(panel: Panel) => Trace[]} source */
export const addTraces = (source) => sources.push(source);

/** The traces that features add to those of the plane. @param {Panel} panel */
export const addedTraces = (panel) => sources.flatMap((source) => source(panel));

/** @param {Panel} panel */
export function extend(panel) {
  for (const feature of features) feature(panel);
}

/** @param {Trace} trace @param {Panel} panel @param {number} position */
export function dress(trace, panel, position) {
  for (const dresser of dressers) dresser(trace, panel, position);
}
