// What it costs to keep batches out of a picture, as a small chart: accuracy of the classes and of the
// batches within them by the weight of the batches, with guessing as dashed lines.
import { element, span } from "../page/dom.mjs";
import { percent } from "../page/number_text.mjs";

/** @typedef {{ weight: number, accuracy: number, batch_accuracy: number, batch_chance: number }} Point */

const SVG = "http://www.w3.org/2000/svg";

export const SIZE = Object.freeze({ width: 280, height: 120, left: 34, right: 8, top: 8, bottom: 22 });

/**
 * The lines of the chart in its own units; weights are spaced evenly, accuracies span what occurs.
 * @param {Point[]} points
 * @param {number} chance of the classes
 */
export function tradeOffLines(points, chance) {
  const { width, height, left, right, top, bottom } = SIZE;
  const values = points.flatMap((point) => [point.accuracy, point.batch_accuracy, point.batch_chance]);
  const [low, high] = [Math.min(chance, ...values), Math.max(chance, ...values)];
  const step = (width - left - right) / Math.max(points.length - 1, 1);
  const x = (position) => left + position * step;
  const y = (value) => top + ((high - value) / (high - low || 1)) * (height - top - bottom);
  const line = (valueOf) =>
    points.map((point, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(valueOf(point)).toFixed(1)}`).join("");
  const batchChance = points[0].batch_chance;
  return {
    classes: line((point) => point.accuracy),
    batches: line((point) => point.batch_accuracy),
    guesses: [chance, batchChance].map((value) => `M${left} ${y(value).toFixed(1)}H${width - right}`),
    ticks: points.map(({ weight }, at) => ({ x: x(at), text: String(weight) })),
    ends: [low, high].map((value) => ({ y: y(value), text: percent(value) })),
  };
}

/**
 * The chart, its legend and its sentence.
 * @param {Point[]} points
 * @param {number} chance of guessing the class
 * @param {string} words
 */
export function tradeOffChart(points, chance, words) {
  const lines = tradeOffLines(points, chance);
  const svg = shape("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img" });
  svg.setAttribute("aria-label", words);
  for (const d of lines.guesses) svg.append(shape("path", { d, class: "guess" }));
  svg.append(shape("path", { d: lines.classes, class: "classes" }), shape("path", { d: lines.batches, class: "batches" }));
  for (const { x, text } of lines.ticks) svg.append(label(x, SIZE.height - 8, "middle", text));
  for (const { y, text } of lines.ends) svg.append(label(SIZE.left - 4, y + 4, "end", text));
  const legend = document.createElement("p");
  legend.className = "trade-off-legend";
  legend.append(span("classes"), span("batches"), span("guessing"));
  return [svg, legend, element("p", "hint", words)];
}

function label(x, y, anchor, text) {
  const node = shape("text", { x, y, "text-anchor": anchor });
  node.textContent = text;
  return node;
}

function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}
