// Zooming by the wheel. The picture follows on its canvas, once before each paint however many turns
// arrive, and plotly draws it when the wheel rests: it would take longer than a turn.
import { pixelAxes, shownRanges } from "./pixel_axes.mjs";
import { factorOf, zoomedAt } from "./zoom.mjs";
import { hasPicture } from "./plotly.mjs";

/** @typedef {import("../types").Axes} Axes */

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
