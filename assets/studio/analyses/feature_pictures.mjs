// The drawings in the list of features: a small shape of each that bends, from its 1st to its 99th percentile how
// far it moves a row the way of its arrow, and a line where features are in order, as along a spectrum.
import { PATH_SHARES } from "../constants.mjs";

const SVG = "http://www.w3.org/2000/svg";
const BOX = { width: 44, height: 14 };
const LINE = { width: 236, height: 48 };
const MARGIN = 1; // half a line, and room for its joins

/**
 * Draws the shapes of features in their items of a list; without one, an item has none.
 * @param {HTMLElement} list
 * @param {{ feature: number, shape?: number[] }[]} features
 */
export function drawShapes(list, features) {
  const shapes = new Map(features.map(({ feature, shape }) => [String(feature), shape]));
  for (const item of /** @type {HTMLElement[]} */ ([...list.children])) {
    const button = item.firstElementChild;
    const shape = shapes.get(item.dataset.of);
    button.querySelector(".feature-shape")?.remove();
    if (shape) button.firstElementChild.after(pictureOf(shape));
  }
}

function pictureOf(shape) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "feature-shape");
  picture.setAttribute("viewBox", `0 0 ${BOX.width} ${BOX.height}`);
  picture.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("points", pointsOf(shape));
  picture.append(line);
  return picture;
}

/**
 * The vertices of a shape in its box, as SVG has them.
 * @param {readonly number[]} shape from 0 to 1
 */
export function pointsOf(shape) {
  const [width, height] = [BOX.width - 2 * MARGIN, BOX.height - 2 * MARGIN];
  const points = shape.map((step, i) => [MARGIN + width * PATH_SHARES[i], MARGIN + height * (1 - step)]);
  return points.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" ");
}

/**
 * The lengths of all arrows over the numbers that the features are named by.
 * @param {{ at: number[], lengths: number[] }} line
 */
export function lineOf({ at, lengths }) {
  const { width, height } = LINE;
  const [low, high] = [Math.min(...at), Math.max(...at)];
  const most = Math.max(...lengths, Number.MIN_VALUE);
  const points = at.map((value, i) => {
    const [x, y] = [(width * (value - low)) / (high - low), height * (1 - lengths[i] / most)];
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", `0 -2 ${width} ${height + 4}`);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `Length of the arrow by feature, from ${low} to ${high}`);
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("points", points.join(" "));
  picture.append(line);
  return picture;
}
