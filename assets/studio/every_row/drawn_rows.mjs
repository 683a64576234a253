// The rows that a figure draws, in the form in which the layer has those of a whole table.
import { PLANE_TRACE } from "../constants.mjs";

/** @typedef {import("../types").Figure} Figure */
/** Where the traces have a row. @typedef {{ trace: number, point: number }} Place */

/** @type {WeakMap<Figure, import("./answers.mjs").Rows & { places: Place[] }>} */
const known = new WeakMap();

/** The drawn rows in the order of the file. @param {Figure} figure */
export function drawnRows(figure) {
  if (!known.has(figure)) known.set(figure, sortedRows(figure));
  return known.get(figure);
}

/** @param {Figure} figure */
function sortedRows({ plane: { data }, rows }) {
  const all = data.flatMap(({ meta }, trace) =>
    rows[trace].map((number, point) => ({
      number,
      label: meta.class,
      isHeldOut: meta.kind === PLANE_TRACE.heldOut,
      place: { trace, point },
    })),
  );
  all.sort((one, other) => one.number - other.number);
  return {
    numbers: Int32Array.from(all, ({ number }) => number),
    classes: Uint16Array.from(all, ({ label }) => label),
    heldOut: Uint8Array.from(all, ({ isHeldOut }) => Number(isHeldOut)),
    places: all.map(({ place }) => place),
  };
}

/**
 * Where a plane has the drawn rows, in the same order.
 * @param {Figure} figure
 * @param {import("../types").Plane} plane
 */
export function drawnPoints(figure, { traces }) {
  const { places } = drawnRows(figure);
  const along = (axis) => Float32Array.from(places, ({ trace, point }) => traces[trace][axis][point]);
  return { x: along("x"), y: along("y") };
}
