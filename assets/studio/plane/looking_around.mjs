// Pointing at a picture and looking around in it: dragging, two fingers, the wheel, and keys. However many events
// arrive between two frames, the picture is drawn once.

const KEY_STEP = 0.1; // of the picture
const KEY_ZOOM = 0.8;
const TAP_PX = 6;
/** @type {Record<string, [number, number]>} */
const PAN_KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
/** @type {Record<string, number>} */
const ZOOM_KEYS = { "+": KEY_ZOOM, "-": 1 / KEY_ZOOM };
const ALL_KEY = "0";
const [LONGEST_STEP, STEPS] = [20, 200]; // of a turn of the wheel, as in plotly

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

/**
 * Lets a picture be looked around in.
 * @param {HTMLElement} plot
 * @param {Viewer} viewer
 */
export function lookAround(plot, viewer) {
  /** @type {Map<number, Point>} */
  const fingers = new Map();
  let moved = 0; // pixels since the first finger
  /** @type {Drag | null} */
  let drag = null;
  /** @type {Axes | null} */
  let next = null; // what is shown with the next frame

  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (fingers.size) drop(false); // two fingers zoom
    else begin(event);
    fingers.set(event.pointerId, place(event));
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return viewer.point(place(event));
    const was = [...fingers.values()];
    fingers.set(event.pointerId, place(event));
    moved += Math.hypot(...difference(place(event), before));
    if (moved <= TAP_PX) return undefined;
    viewer.point(null);
    return drag ? drag.move(place(event)) : move(was, [...fingers.values()]);
  });
  const lift = (event) => {
    if (!fingers.delete(event.pointerId) || fingers.size) return;
    drop(event.type === "pointerup");
    if (moved <= TAP_PX) viewer.point(place(event));
  };
  plot.addEventListener("pointerup", lift);
  plot.addEventListener("pointercancel", lift);
  plot.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && viewer.point(null));
  plot.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(() => place(event), factorOf(event.deltaY));
    },
    { passive: false },
  );
  plot.addEventListener("keydown", (event) => {
    const [step, factor] = [PAN_KEYS[event.key], ZOOM_KEYS[event.key]];
    if (viewer.hasKeys?.() === false || event.ctrlKey || event.metaKey || event.altKey || !(step || factor || event.key === ALL_KEY)) return;
    event.preventDefault();
    if (factor) zoom(({ x, y }) => [x.offset + x.length / 2, y.offset + y.length / 2], factor);
    else if (step) change(({ axes }) => panned(axes, [-KEY_STEP * step[0], -KEY_STEP * step[1]]));
    else showAll();
  });

  function begin(event) {
    moved = 0;
    drag = viewer.take?.(place(event), event) ?? null;
  }

  function drop(isDone) {
    drag?.end?.(isDone);
    drag = null;
  }

  function move(was, now) {
    change(({ axes, pixels }) => {
      const to = panned(axes, difference(shares(middle(now), pixels), shares(middle(was), pixels)));
      return was.length > 1 ? zoomedAt(to, shares(middle(now), pixels), spread(was) / Math.max(spread(now), 1)) : to;
    });
  }

  function zoom(placeOf, factor) {
    change(({ axes, pixels }) => zoomedAt(axes, shares(placeOf(pixels), pixels), factor));
  }

  function change(axesFrom) {
    const now = viewer.shown();
    if (!now) return;
    if (!next) requestAnimationFrame(showNext);
    next = axesFrom({ ...now, axes: next ?? now.axes });
  }

  function showNext() {
    const axes = next;
    next = null;
    if (axes) viewer.look(axes);
  }

  function showAll() {
    next = null;
    viewer.look(null);
  }

  /** @returns {Point} */
  function place({ clientX, clientY }) {
    const { left, top } = plot.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }
}

/** @returns {[number, number]} */
const shares = ([across, down], { x, y }) => [(across - x.offset) / x.length, 1 - (down - y.offset) / y.length];

/** @param {Point} one @param {Point} other @returns {Point} */
const difference = (one, other) => [one[0] - other[0], one[1] - other[1]];

/** @param {Point[]} places @returns {Point} */
const middle = (places) =>
  /** @type {Point} */ ([0, 1].map((axis) => places.reduce((sum, at) => sum + at[axis], 0) / places.length));

// How far apart two fingers are.
const spread = ([one, other]) => (other ? Math.hypot(...difference(one, other)) : 1);
