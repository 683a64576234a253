// Draws traces on a canvas, in the terms of plotly, which draws the charts of dialogs from the same server.
import { inUnits, tickLabel } from "../page/number_text.mjs";
import { along, drawnOn } from "./pixel_axes.mjs";

const DIMMED = 0.2; // the opacity of what is not selected, as in plotly, unless the trace has its own
const NAME_GAP_PX = 3;
const HALO_PX = 4;
const NUMBER_GAP_PX = 3;

/**
 * What draws on a canvas of this size, in CSS pixels, after everything is wiped.
 * @param {HTMLCanvasElement} canvas
 * @param {[number, number]} size
 */
export function clearedPen(canvas, size) {
  const density = window.devicePixelRatio || 1;
  const [width, height] = size.map((side) => Math.round(side * density));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.clearRect(0, 0, ...size);
  return pen;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {any} trace
 * @param {ArrayLike<number>} x in pixels
 * @param {ArrayLike<number>} y in pixels
 */
export function drawTrace(pen, trace, x, y) {
  if (!x.length) return;
  pen.globalAlpha = trace.opacity ?? 1;
  if (trace.mode.includes("lines")) drawLines(pen, trace, x, y);
  if (trace.mode.includes("markers")) drawMarkers(pen, trace, x, y);
  if (trace.mode.includes("text")) drawNames(pen, trace, x, y);
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {string} color
 * @param {[value: number, at: number][]} xs the vertical lines
 * @param {[value: number, at: number][]} ys the horizontal lines
 * @param {{ left: number, top: number, width: number, height: number }} box
 */
export function drawGrid(pen, color, xs, ys, { left, top, width, height }) {
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const [, x] of xs) {
    pen.moveTo(x, top + height);
    pen.lineTo(x, top);
  }
  for (const [, y] of ys) {
    pen.moveTo(left, y);
    pen.lineTo(left + width, y);
  }
  pen.stroke();
}

/**
 * Draws the numbers of an axis outside the picture, those that are whole beside it.
 * @param {CanvasRenderingContext2D} pen
 * @param {PixelAxis} axis
 * @param {[value: number, at: number][]} ticks
 * @param {number} outer pixels of the edge
 * @param {"bottom" | "left"} edge
 */
export function drawNumbers(pen, { numbers, tickStep: step, offset, length }, ticks, outer, edge) {
  if (!numbers) return;
  pen.font = fontOf(numbers);
  pen.fillStyle = numbers.color;
  pen.textAlign = edge === "left" ? "right" : "center";
  pen.textBaseline = edge === "left" ? "middle" : "top";
  for (const [value, at] of ticks) {
    const label = tickLabel(value, step);
    const size = edge === "left" ? numbers.size : pen.measureText(label).width;
    if (at - size / 2 < offset || at + size / 2 > offset + length) continue; // it would be cut off
    if (edge === "left") pen.fillText(label, outer - NUMBER_GAP_PX, at);
    else pen.fillText(label, at, outer + NUMBER_GAP_PX);
  }
}

/**
 * Draws the titles of both axes at the edges of the canvas, at their far ends and beyond their numbers.
 * @param {CanvasRenderingContext2D} pen
 * @param {{ size: number, color: string, family: string }} font of the numbers
 * @param {readonly [string, string]} titles
 * @param {{ left: number, top: number, width: number, height: number }} box of the picture
 * @param {number} bottom of the canvas
 */
export function drawTitles(pen, font, [across, up], { left, top, width }, bottom) {
  pen.font = fontOf(font);
  pen.fillStyle = font.color;
  pen.textAlign = "right";
  pen.textBaseline = "bottom";
  pen.fillText(inUnits(across), left + width - NUMBER_GAP_PX, bottom - NUMBER_GAP_PX);
  pen.save();
  pen.rotate(-Math.PI / 2);
  pen.textBaseline = "top";
  pen.fillText(up, -top - NUMBER_GAP_PX, NUMBER_GAP_PX);
  pen.restore();
}

function drawLines(pen, { line, fill, fillcolor: inside }, x, y) {
  pen.beginPath();
  let isDown = false;
  for (let i = 0; i < x.length; i += 1) {
    const isPoint = !Number.isNaN(x[i]) && !Number.isNaN(y[i]);
    if (isPoint && isDown && line.shape === "hv") pen.lineTo(x[i], y[i - 1]);
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

function drawMarkers(pen, { marker, selectedpoints: selected, unselected }, x, y) {
  const { symbol = "circle", size, color, line } = marker;
  const symbolOf = each(symbol);
  const colorOf = each(color);
  const chosen = selected && new Set(selected);
  const opacity = pen.globalAlpha;
  const dimmed = unselected?.marker.opacity ?? DIMMED;
  for (let i = 0; i < x.length; i += 1) {
    pen.globalAlpha = !chosen || chosen.has(i) ? opacity : opacity * dimmed;
    const isOpen = symbolOf(i).endsWith("-open");
    pen.fillStyle = pen.strokeStyle = colorOf(i);
    pen.lineWidth = isOpen ? (line?.width ?? 1) : 1;
    pen.beginPath();
    SHAPES[symbolOf(i).replace("-open", "")](pen, x[i], y[i], size / 2, ((marker.angle?.[i] ?? 0) * Math.PI) / 180);
    pen[isOpen ? "stroke" : "fill"]();
    if (isOpen || !line?.width) continue;
    pen.strokeStyle = line.color;
    pen.lineWidth = line.width;
    pen.stroke();
  }
}

// A property of markers: one for all of them, or one for each.
const each = (value) => (Array.isArray(value) ? (i) => value[i] : () => value);

// The corners of a plus sign of radius one.
const PLUS = [[-1, -0.4], [-0.4, -0.4], [-0.4, -1], [0.4, -1], [0.4, -0.4], [1, -0.4], [1, 0.4], [0.4, 0.4], [0.4, 1], [-0.4, 1], [-0.4, 0.4], [-1, 0.4]];

const SHAPES = {
  circle: (pen, x, y, r) => pen.arc(x, y, r, 0, 2 * Math.PI),
  square: (pen, x, y, r) => pen.rect(x - r, y - r, 2 * r, 2 * r),
  diamond: (pen, x, y, r) => polygon(pen, x, y, 0, [[0, -1.3 * r], [1.3 * r, 0], [0, 1.3 * r], [-1.3 * r, 0]]),
  "triangle-up": (pen, x, y, r) => polygon(pen, x, y, 0, [[0, -1.2 * r], [1.1 * r, 0.8 * r], [-1.1 * r, 0.8 * r]]),
  "triangle-down": (pen, x, y, r) => polygon(pen, x, y, Math.PI, [[0, -1.2 * r], [1.1 * r, 0.8 * r], [-1.1 * r, 0.8 * r]]),
  cross: (pen, x, y, r) => polygon(pen, x, y, 0, PLUS.map((corner) => corner.map((side) => side * r))),
  x: (pen, x, y, r) => polygon(pen, x, y, Math.PI / 4, PLUS.map((corner) => corner.map((side) => side * r))),
  "line-ns": (pen, x, y, r) => polygon(pen, x, y, 0, [[0, -1.4 * r], [0, 1.4 * r]]),
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

const ALIGNED = { left: "right", center: "center", right: "left" };
const BASELINES = { top: "bottom", middle: "middle", bottom: "top" };
const SIDES = { left: -1, center: 0, right: 1, top: -1, middle: 0, bottom: 1 };

function drawNames(pen, { text, textposition: places, textfont, marker, halo }, x, y) {
  const gap = (marker?.size ?? 0) / 2 + NAME_GAP_PX;
  pen.font = fontOf(textfont);
  pen.lineJoin = "round";
  pen.strokeStyle = halo;
  pen.lineWidth = HALO_PX;
  for (let i = 0; i < x.length; i += 1) {
    const [height, side] = (Array.isArray(places) ? places[i] : places).split(" ");
    pen.textAlign = ALIGNED[side];
    pen.textBaseline = BASELINES[height];
    pen.fillStyle = Array.isArray(textfont.color) ? textfont.color[i] : textfont.color;
    const at = /** @type {const} */ ([unescaped(text[i]), x[i] + gap * SIDES[side], y[i] + gap * SIDES[height]]);
    if (halo) pen.strokeText(...at);
    pen.fillText(...at);
  }
}

/** A font as a canvas and CSS write it. @param {{ size: number, family: string, weight?: number }} font */
export const fontOf = ({ size, family, weight = 400 }) => `${weight} ${size}px ${family}`;

/** Text in which plotly finds no markup. @param {string} text */
export const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

// Names are escaped for plotly, which reads markup; a canvas does not.
/** Text that was escaped for plotly. @param {string} text */
export const unescaped = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");

// A small picture of a plane: its points and contours.

/** @type {string[]} */
const SHOWN = ["contour", "train", "held_out"];
const MARK_PX = 3;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Trace[]} styles of the traces of the plane
 * @param {Pick<Plane, "traces" | "limits">} plane
 */
export function drawSmallPlane(canvas, styles, { traces, limits }) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = clearedPen(canvas, [width, height]);
  const places = { x: { offset: 0, length: width }, y: { offset: 0, length: height }, hasEqualUnits: true };
  const { x, y } = drawnOn(limits, places);
  for (const [i, style] of styles.entries()) {
    if (!SHOWN.includes(style.meta.kind)) continue;
    const trace = { ...style, ...traces[i] };
    if (style.marker) trace.marker = { ...style.marker, size: MARK_PX };
    drawTrace(pen, trace, Array.from(trace.x, along(x)), Array.from(trace.y, along(y)));
  }
}
