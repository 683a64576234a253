// Looking around in a picture: dragging, two fingers, the wheel, and keys.

import { factorOf, zoomedAt } from "./zoom.mjs";

/** @typedef {import("../types").Axes} Axes */
/** @typedef {import("../types").Point} Point */

const KEY_STEP = 0.1; // of the picture
const KEY_ZOOM = 0.8;
const TAP_PX = 6;
/** @type {Record<string, [number, number]>} */
const PAN_KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

/**
 * Axes moved by a share of what they show.
 * @param {Axes} axes
 * @param {[number, number]} shares
 * @returns {Axes}
 */
export function panned(axes, shares) {
  return /** @type {Axes} */ (axes.map(([low, high], i) => [low, high].map((end) => end - shares[i] * (high - low))));
}

/**
 * @param {HTMLElement} plot
 * @param {{ axes: () => Axes | null, look: (axes: Axes) => void, point: (place: Point | null) => void }} viewer
 *   `axes` are those on screen; `look` shows others; `point` is told where the pointer is, in pixels
 */
export function connectTouch(plot, { axes, look, point }) {
  /** @type {Map<number, Point>} */
  const fingers = new Map();
  let moved = 0; // pixels since the first finger

  plot.addEventListener("pointerdown", (event) => {
    if (!fingers.size) moved = 0;
    fingers.set(event.pointerId, place(event));
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return point(place(event));
    const was = [...fingers.values()];
    fingers.set(event.pointerId, place(event));
    moved += Math.hypot(...difference(place(event), before));
    if (moved > TAP_PX) move(was, [...fingers.values()]);
    return undefined;
  });
  const lift = (event) => {
    if (fingers.delete(event.pointerId) && !fingers.size && moved <= TAP_PX) point(place(event));
  };
  plot.addEventListener("pointerup", lift);
  plot.addEventListener("pointercancel", lift);
  plot.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && point(null));
  plot.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(place(event), factorOf(event.deltaY));
    },
    { passive: false },
  );
  plot.addEventListener("keydown", (event) => {
    const step = PAN_KEYS[event.key];
    const factor = { "+": KEY_ZOOM, "-": 1 / KEY_ZOOM }[event.key];
    if (!step && !factor) return;
    event.preventDefault();
    if (factor) return zoom([plot.clientWidth / 2, plot.clientHeight / 2], factor);
    const shown = axes();
    return shown && look(panned(shown, [-KEY_STEP * step[0], -KEY_STEP * step[1]]));
  });

  function move(was, now) {
    point(null);
    const shown = axes();
    if (!shown) return;
    const [dx, dy] = difference(middle(now), middle(was));
    const next = panned(shown, [dx / plot.clientWidth, -dy / plot.clientHeight]);
    look(was.length > 1 ? zoomedAt(next, shares(middle(now)), spread(was) / Math.max(spread(now), 1)) : next);
  }

  function zoom(at, factor) {
    const shown = axes();
    if (shown) look(zoomedAt(shown, shares(at), factor));
  }

  /** @returns {Point} */
  function place({ clientX, clientY }) {
    const { left, top } = plot.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }

  /** @param {Point} at @returns {[number, number]} */
  const shares = ([x, y]) => [x / plot.clientWidth, 1 - y / plot.clientHeight];
}

/** @param {Point} one @param {Point} other @returns {Point} */
const difference = (one, other) => [one[0] - other[0], one[1] - other[1]];

/** @param {Point[]} places @returns {Point} */
const middle = (places) =>
  /** @type {Point} */ ([0, 1].map((axis) => places.reduce((sum, at) => sum + at[axis], 0) / places.length));

// How far apart two fingers are.
const spread = ([one, other]) => (other ? Math.hypot(...difference(one, other)) : 1);
