// The names at the tips of arrows: one that would be cut at the edge of the picture stands on the
// other side of its tip.
(() => {
  "use strict";

  const { Panel, inOneScale, laidOut } = window.studio;
  const GAP_PX = 8; // between a tip and its name
  const pen = document.createElement("canvas").getContext("2d");

  // Where a length along the horizontal axis of the picture begins and ends, as on screen.
  function shownRange(panel) {
    const { xaxis, yaxis } = laidOut(panel.part("plot"), panel.figure.plane.layout);
    const length = xaxis._length;
    const [x] = yaxis.scaleanchor ? inOneScale(panel.axes(), [length, yaxis._length]) : panel.axes();
    return { low: x[0], scale: length / (x[1] - x[0]), length };
  }

  Panel.dressers.push((trace, panel) => {
    if (trace.meta !== "arrow" || !trace.textposition || !panel.limits) return;
    const { low, scale, length } = shownRange(panel);
    pen.font = `${trace.textfont.size}px ${trace.textfont.family}`;
    trace.textposition = trace.textposition.map((place, i) => {
      const width = pen.measureText(trace.text[i]).width + GAP_PX;
      const left = (trace.x[i] - low) * scale;
      const room = { left, right: length - left };
      const [height, side] = place.split(" ");
      const other = side === "left" ? "right" : "left";
      if (room[side] >= width || room[other] < room[side]) return place;
      // Beside a tip the arrow itself would be written over.
      return `${height === "middle" ? "top" : height} ${other}`;
    });
  });
})();
