// A picture in motion. While planes follow each other they are drawn on a canvas over the figure,
// many times faster than plotly draws; the plane that stays is drawn by plotly. The planes of a
// run at work follow each other however slowly they come, and the first plane of all need not
// wait for plotly.
(() => {
  "use strict";

  const { numbers } = window.studio;
  const STILL_AFTER_MS = 250;
  const STILL_AFTER_AT_WORK_MS = 1000;
  const DIMMED = 0.2; // what is not selected, as plotly has it

  class Motion {
    constructor(canvas, plot, drawStill) {
      this.canvas = canvas;
      this.plot = plot;
      this.drawStill = drawStill;
      this.lastAt = -Infinity;
    }

    // Whether the next plane follows the last one so closely that it is one movement.
    isOn(isAtWork) {
      const isSoon = performance.now() - this.lastAt < STILL_AFTER_MS;
      return isAtWork || isSoon || !this.plot._fullLayout;
    }

    // Something was drawn: what comes soon after belongs to one movement, and comes to rest.
    begin() {
      this.lastAt = performance.now();
    }

    // On axes that show at least these ranges, with one scale for both where the figure has that.
    draw(traces, ranges, layout, isAtWork) {
      this.begin();
      const isFirst = !this.plot._fullLayout;
      const { xaxis, yaxis } = laidOut(this.plot, layout);
      const [x, y] = yaxis.scaleanchor ? inOneScale(ranges, [xaxis._length, yaxis._length]) : ranges;
      const across = scale(x, xaxis._offset, xaxis._length);
      const up = scale(y, yaxis._offset + yaxis._length, -yaxis._length);
      const pen = this.prepared();
      pen.save();
      pen.beginPath();
      pen.rect(xaxis._offset, yaxis._offset, xaxis._length, yaxis._length);
      pen.clip();
      drawGrid(pen, xaxis, yaxis, x, y, across, up);
      for (const trace of traces) {
        if (trace.visible !== false) drawTrace(pen, trace, numbers(trace.x).map(across), numbers(trace.y).map(up));
      }
      pen.restore();
      this.plot.classList.add("is-moving");
      clearTimeout(this.timer);
      const rest = () => this.drawStill();
      const wait = isAtWork ? STILL_AFTER_AT_WORK_MS : STILL_AFTER_MS;
      if (isFirst) requestAnimationFrame(() => setTimeout(rest)); // once this plane is on screen
      else this.timer = setTimeout(rest, wait);
    }

    // Plotly has drawn the same plane.
    end() {
      clearTimeout(this.timer);
      this.plot.classList.remove("is-moving");
      this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
    }

    prepared() {
      const { canvas, plot } = this;
      const density = window.devicePixelRatio || 1;
      const [width, height] = [plot.clientWidth, plot.clientHeight].map((side) => Math.round(side * density));
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      const pen = canvas.getContext("2d");
      pen.setTransform(density, 0, 0, density, 0, 0);
      pen.clearRect(0, 0, width, height);
      return pen;
    }
  }

  // The axes where plotly has put them; or where it will, without the grid that it has not chosen.
  function laidOut(plot, { margin: { l, r, t, b }, xaxis, yaxis }) {
    if (plot._fullLayout) return plot._fullLayout;
    const { clientWidth: width, clientHeight: height } = plot;
    return {
      xaxis: { ...xaxis, _offset: l, _length: width - l - r },
      yaxis: { ...yaxis, _offset: t, _length: height - t - b },
    };
  }

  // The ranges widened about their middles until a unit is as long on both axes, as plotly does.
  function inOneScale(ranges, lengths) {
    const units = Math.max(...ranges.map(([low, high], axis) => (high - low) / lengths[axis]));
    return ranges.map(([low, high], axis) => {
      const half = (units * lengths[axis]) / 2;
      return [(low + high) / 2 - half, (low + high) / 2 + half];
    });
  }

  function drawGrid(pen, xaxis, yaxis, x, y, across, up) {
    pen.strokeStyle = xaxis.gridcolor;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const at of multiples(xaxis.dtick, x)) {
      pen.moveTo(across(at), up(y[0]));
      pen.lineTo(across(at), up(y[1]));
    }
    for (const at of multiples(yaxis.dtick, y)) {
      pen.moveTo(across(x[0]), up(at));
      pen.lineTo(across(x[1]), up(at));
    }
    pen.stroke();
  }

  function multiples(step, [low, high]) {
    const first = Math.ceil(low / step);
    const count = Math.min(50, Math.floor(high / step) - first + 1);
    return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
  }

  const scale = ([low, high], offset, length) => (value) =>
    value === null ? NaN : offset + ((value - low) / (high - low)) * length;

  function drawTrace(pen, trace, x, y) {
    pen.globalAlpha = trace.opacity ?? 1;
    if (trace.mode.includes("lines")) drawLines(pen, trace, x, y);
    if (trace.mode.includes("markers")) drawMarkers(pen, trace, x, y);
    if (trace.mode.includes("text")) drawNames(pen, trace, x, y);
    pen.globalAlpha = 1;
  }

  function drawLines(pen, { line, fill, fillcolor: inside }, x, y) {
    pen.beginPath();
    let isDown = false;
    for (let i = 0; i < x.length; i += 1) {
      const isPoint = !Number.isNaN(x[i]) && !Number.isNaN(y[i]);
      if (isPoint) pen[isDown ? "lineTo" : "moveTo"](x[i], y[i]);
      isDown = isPoint;
    }
    if (fill === "toself") {
      pen.fillStyle = inside;
      pen.fill("evenodd");
    }
    pen.strokeStyle = line.color;
    pen.lineWidth = line.width;
    pen.setLineDash(line.dash === "dash" ? [6, 4] : []);
    pen.stroke();
    pen.setLineDash([]);
  }

  function drawMarkers(pen, { marker, selectedpoints: selected }, x, y) {
    const { symbol, size, color, line } = marker;
    const isOpen = symbol.endsWith("-open");
    const shape = SHAPES[symbol.replace("-open", "")];
    const chosen = selected && new Set(selected);
    const opacity = pen.globalAlpha;
    pen.fillStyle = pen.strokeStyle = color;
    pen.lineWidth = isOpen ? (line?.width ?? 1) : 1;
    for (let i = 0; i < x.length; i += 1) {
      pen.globalAlpha = !chosen || chosen.has(i) ? opacity : opacity * DIMMED;
      pen.beginPath();
      shape(pen, x[i], y[i], size / 2, ((marker.angle?.[i] ?? 0) * Math.PI) / 180);
      pen[isOpen ? "stroke" : "fill"]();
    }
  }

  const SHAPES = {
    circle: (pen, x, y, r) => pen.arc(x, y, r, 0, 2 * Math.PI),
    square: (pen, x, y, r) => pen.rect(x - r, y - r, 2 * r, 2 * r),
    diamond: (pen, x, y, r) => polygon(pen, x, y, 0, [[0, -1.3 * r], [1.3 * r, 0], [0, 1.3 * r], [-1.3 * r, 0]]),
    // Its point lies at the place, as plotly's does.
    arrow: (pen, x, y, r, angle) => polygon(pen, x, y, angle, [[0, 0], [0.75 * r, 2 * r], [-0.75 * r, 2 * r]]),
  };

  function polygon(pen, x, y, angle, corners) {
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
    for (const [i, [dx, dy]] of corners.entries()) {
      pen[i ? "lineTo" : "moveTo"](x + dx * cosine - dy * sine, y + dx * sine + dy * cosine);
    }
    pen.closePath();
  }

  function drawNames(pen, { text, textposition: places, textfont, marker }, x, y) {
    const gap = marker.size / 2 + 3;
    pen.font = `${textfont.size}px ${textfont.family}`;
    pen.fillStyle = textfont.color;
    for (let i = 0; i < x.length; i += 1) {
      const [height, side] = (places[i] ?? "middle right").split(" ");
      pen.textAlign = side === "right" ? "left" : "right";
      pen.textBaseline = { top: "bottom", middle: "middle", bottom: "top" }[height];
      const down = { top: -gap, middle: 0, bottom: gap }[height];
      pen.fillText(plain(text[i]), x[i] + (side === "right" ? gap : -gap), y[i] + down);
    }
  }

  // Names are escaped for plotly, which reads markup; a canvas does not.
  const plain = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");

  Object.assign(window.studio, { Motion, inOneScale, laidOut });
})();
