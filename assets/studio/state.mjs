// The one state of the page: what its modules share, which module writes each field, and the event
// that is sent after each change.
//
// | field     | written by                                      | event    |
// |-----------|-------------------------------------------------|----------|
// | mode      | page/callbacks (the mode control)               | mode     |
// | front     | front_run                                       | mode     |
// | linked, aligned, contours, arrows, names | page/switches | view |
// | class_ellipses, mean_ellipses, centroids | page/switches | view |
// | gamma     | page/gamma_slider                               | gamma    |
// | drag      | page/switches                                   | view     |
// | rows, classes | selection/selection                         | rows, view |
// | colorBy, shapeBy | rows/marks, selection/selection, views/share_link | marks |
// | newRows   | rows/new_rows, selection/selection, views/share_link | newRows |
// | marked, hovered | selection/rings                           | none     |
// | table     | selection/selection                             | none     |
// | reference | reference_run                                   | aligned  |
// | zoom      | panel/painting                                  | none     |
// | revision  | page/callbacks, run_loop                        | none     |
// | compareTab | page/callbacks                                 | none     |
// | states    | run_loop                                        | states   |
// | earlier   | run_loop, views/story                           | none     |
// | speed     | present/play_bar                                | none     |
// | story     | views/story                                     | story    |
//
// What belongs to one run is kept by its Panel; what the server must know is in Dash's stores.

export const state = {
  mode: "explore",
  /** The run that Explore and Present show. @type {string | null} */
  front: null,
  linked: true,
  aligned: true,
  contours: true,
  arrows: true,
  names: true,
  class_ellipses: false,
  mean_ellipses: false,
  centroids: false,
  /** @type {number | null} */
  gamma: null,
  /** What dragging in a picture does: pan, lasso or select. */
  drag: "pan",
  /** The rows that are selected. @type {Set<number> | null} */
  rows: null,
  /** The columns that color and shape the points; null for the class. @type {string | null} */
  colorBy: null,
  /** @type {string | null} */
  shapeBy: null,
  /** The uploaded file whose rows are placed in every plane. @type {{ key: string, name: string } | null} */
  newRows: null,
  /** The classes that alone are shown, by code. @type {number[] | null} */
  classes: null,
  /** The row that is ringed in every panel. @type {number | null} */
  marked: null,
  /** The row under the pointer. @type {number | null} */
  hovered: null,
  /** What the rows and classes belong to. @type {string | null} */
  table: null,
  /** The run that the others are aligned with; else the first shown. @type {string | null} */
  reference: null,
  /** The axes of all linked panels, once the user has chosen them. @type {import("./types").Axes | null} */
  zoom: null,
  /** The revision of the list of runs that the page shows. @type {string | null} */
  revision: null,
  /** The table of Compare that is open. @type {string | null} */
  compareTab: null,
  /** The state of every run of the visitor, by run. @type {Record<string, string>} */
  states: {},
  /** The runs that there were when the page was opened. @type {Set<string> | null} */
  earlier: null,
  speed: 1,
  /**
   * The story; `included` is the one that came with the studio, as JSON, if one was opened.
   * @type {{ views: import("./types").StoryView[], at: number, isAdding: boolean, included: string }}
   */
  story: { views: [], at: -1, isAdding: false, included: "" },
};

/**
 * Changes the state, then sends an event, if one is named.
 * @param {Partial<typeof state>} changes
 * @param {string} [event]
 */
export function update(changes, event) {
  Object.assign(state, changes);
  if (event) announce(event);
}

/** Calls every function that listens to an event. @param {string} event */
export function announce(event) {
  document.dispatchEvent(new Event(`studio:${event}`));
}

/**
 * Calls back after every event of that name.
 * @param {string} event
 * @param {() => void} callback
 */
export function onChange(event, callback) {
  document.addEventListener(`studio:${event}`, callback);
}
