// Draws traces on a canvas as plotly would, in a fraction of the time.

const DIMMED = 0.2; // the opacity of what is not selected, as in plotly
const NAME_GAP_PX = 3;

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {any} trace
 * @param {ArrayLike<number>} x in pixels
 * @param {ArrayLike<number>} y in pixels
 */
export function drawTrace(pen, trace, x, y) {
  pen.globalAlpha = trace.opacity ?? 1;
  if (trace.mode.includes("lines")) drawLines(pen, trace, x, y);
  if (trace.mode.includes("markers")) drawMarkers(pen, trace, x, y);
  if (trace.mode.includes("text")) drawNames(pen, trace, x, y);
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {string} color
 * @param {number[]} xs pixels of the vertical lines
 * @param {number[]} ys pixels of the horizontal lines
 * @param {{ left: number, top: number, width: number, height: number }} box
 */
export function drawGrid(pen, color, xs, ys, { left, top, width, height }) {
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const x of xs) {
    pen.moveTo(x, top + height);
    pen.lineTo(x, top);
  }
  for (const y of ys) {
    pen.moveTo(left, y);
    pen.lineTo(left + width, y);
  }
  pen.stroke();
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

// The corners of a plus sign of radius one.
const PLUS = [[-1, -0.4], [-0.4, -0.4], [-0.4, -1], [0.4, -1], [0.4, -0.4], [1, -0.4], [1, 0.4], [0.4, 0.4], [0.4, 1], [-0.4, 1], [-0.4, 0.4], [-1, 0.4]];

const SHAPES = {
  circle: (pen, x, y, r) => pen.arc(x, y, r, 0, 2 * Math.PI),
  square: (pen, x, y, r) => pen.rect(x - r, y - r, 2 * r, 2 * r),
  diamond: (pen, x, y, r) => polygon(pen, x, y, 0, [[0, -1.3 * r], [1.3 * r, 0], [0, 1.3 * r], [-1.3 * r, 0]]),
  cross: (pen, x, y, r) => polygon(pen, x, y, 0, PLUS.map((corner) => corner.map((side) => side * r))),
  x: (pen, x, y, r) => polygon(pen, x, y, Math.PI / 4, PLUS.map((corner) => corner.map((side) => side * r))),
  // The point of an arrow is at its coordinates, as in plotly.
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
  const gap = marker.size / 2 + NAME_GAP_PX;
  pen.font = `${textfont.size}px ${textfont.family}`;
  pen.fillStyle = textfont.color;
  for (let i = 0; i < x.length; i += 1) {
    const [height, side] = (places[i] ?? "middle right").split(" ");
    pen.textAlign = side === "right" ? "left" : "right";
    pen.textBaseline = { top: "bottom", middle: "middle", bottom: "top" }[height];
    const down = { top: -gap, middle: 0, bottom: gap }[height];
    pen.fillText(unescaped(text[i]), x[i] + (side === "right" ? gap : -gap), y[i] + down);
  }
}

// Names are escaped for plotly, which reads markup; a canvas does not.
const unescaped = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
