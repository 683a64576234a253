// The ways of selected rows from where the plane of all rows has them to where planes that never saw them put them.
import { ask } from "../page/answers.mjs";
import { addToViews } from "../panel/features.mjs";
import { MOST_WAYS } from "../plane/animation.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { isPoints } from "../plane/traces.mjs";

/** Each plane of unseen places that has selected rows, as fitted, once that is here. @type {WeakMap<object, Plane | null>} */
const asFitted = new WeakMap();

export function addWays() {
  addToViews((view, panel) => {
    const plane = view.selected && panel.plane?.places?.state === "unseen" ? panel.plane : null;
    if (plane && !asFitted.has(plane)) fetchFitted(plane, panel).catch(console.warn);
    view.added.push(waysOf(view, (plane && asFitted.get(plane)) ?? null));
  });
}

/** @param {Plane} plane @param {Panel} panel */
async function fetchFitted(plane, panel) {
  asFitted.set(plane, null);
  asFitted.set(plane, decodedPlane(await ask(panel.requests.url(`${plane.sequence}?${panel.query({ places: "fitted" })}`))));
  if (panel.plane === plane) panel.paint(true);
}

/**
 * A line for each selected row, or an empty trace where there are none, or too many.
 * @param {Pick<View, "plane" | "figure" | "selected">} view
 * @param {Pick<Plane, "traces"> | null} fitted
 * @returns {Trace}
 */
export function waysOf({ plane, figure, selected }, fitted) {
  const [x, y] = [[], []];
  const count = fitted ? selected.reduce((sum, points) => sum + points.length, 0) : 0;
  if (count && count <= MOST_WAYS) {
    const traces = figure.data.flatMap((style, i) => (isPoints(style) ? [i] : []));
    for (const [at, i] of traces.entries()) {
      const [from, to] = [fitted.traces[i], plane.traces[i]];
      for (const point of selected[at]) {
        x.push(from.x[point], to.x[point], NaN);
        y.push(from.y[point], to.y[point], NaN);
      }
    }
  }
  const line = { color: figure.layout.font.color, width: 1 };
  return { meta: { kind: "ways" }, mode: "lines", line, opacity: 0.6, x, y };
}
