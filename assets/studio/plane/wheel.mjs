// Zooming by the wheel. The picture follows on its canvas, once before each paint however many turns
// arrive, and plotly draws it when the wheel rests: it would take longer than a turn.
import { hasPicture, pixelAxes, shownRanges } from "./plotly.mjs";

/** @typedef {import("../types").Axes} Axes */
/** @typedef {import("../types").Range} Range */

const [LONGEST_STEP, STEPS] = [20, 200]; // of a turn, as in plotly

/**
 * Axes about a place that is kept.
 * @param {Axes} axes
 * @param {[number, number]} place as shares of the axes
 * @param {number} factor below one shows less
 * @returns {Axes}
 */
export function zoomedAt(axes, place, factor) {
  return /** @type {Axes} */ (
    axes.map(([low, high], i) => {
      const kept = low + place[i] * (high - low);
      return [low, high].map((end) => kept + factor * (end - kept));
    })
  );
}

/** How much more one turn shows. @param {number} delta */
export const factorOf = (delta) => Math.exp(Math.min(LONGEST_STEP, Math.max(-LONGEST_STEP, delta)) / STEPS);

/** @param {import("../panel/painting.mjs").Painting} painting */
export function zoomByWheel(painting) {
  const { plot, panel } = painting;
  /** @type {Axes | null} */
  let zoom = null; // that is drawn before the next paint
  const draw = () => {
    const axes = zoom;
    zoom = null;
    painting.setZoom(axes);
  };
  plot.addEventListener(
    "wheel",
    (event) => {
      if (!hasPicture(plot) || !panel.plane) return;
      event.preventDefault();
      const pixels = pixelAxes(plot, panel.figure.plane.layout);
      const { left, top } = plot.getBoundingClientRect();
      const across = (event.clientX - left - pixels.x.offset) / pixels.x.length;
      const up = 1 - (event.clientY - top - pixels.y.offset) / pixels.y.length;
      if (!zoom) requestAnimationFrame(draw);
      zoom = zoomedAt(zoom ?? shownRanges(painting.axes(), pixels), [across, up], factorOf(event.deltaY));
    },
    { passive: false },
  );
}
