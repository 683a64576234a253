// Ranges of axes, and their ticks.

// A picture that shrinks less than this keeps its axes: a plane that turns should not also pulse.
const SHRINK_BELOW = 0.7;

/**
 * The ranges widened about their middles until a unit is as long on both axes, as plotly does.
 * @param {Axes} ranges
 * @param {[number, number]} lengths of the axes in pixels
 * @returns {Axes}
 */
export function withEqualUnits(ranges, lengths) {
  const unit = Math.max(...ranges.map(([low, high], axis) => (high - low) / lengths[axis]));
  return /** @type {Axes} */ (
    ranges.map(([low, high], axis) => {
      const half = (unit * lengths[axis]) / 2;
      return [(low + high) / 2 - half, (low + high) / 2 + half];
    })
  );
}

/**
 * The multiples of a step within a range, 50 at most; none without a step.
 * @param {number | undefined} step
 * @param {Extent} range
 * @returns {number[]}
 */
export function multiples(step, [low, high]) {
  if (!step) return [];
  const first = Math.ceil(low / step);
  const count = Math.min(50, Math.floor(high / step) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

/**
 * The distance of the ticks on an axis: one, two or five times a power of ten.
 * @param {Extent} range
 * @param {number} most ticks
 */
export function tickStep([low, high], most) {
  const least = (high - low) / most;
  if (!(least > 0 && least < Infinity)) return undefined;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least);
}

/**
 * The smallest axes that hold several boxes; boxes that are not known yet are left out.
 * @param {(Axes | null)[]} boxes
 * @returns {Axes}
 */
export function union(boxes) {
  const known = boxes.filter(Boolean);
  return /** @type {Axes} */ (
    [0, 1].map((axis) => [
      Math.min(...known.map((box) => box[axis][0])),
      Math.max(...known.map((box) => box[axis][1])),
    ])
  );
}

/**
 * New limits, unless the old ones hold them with little room to spare.
 * @param {Axes | null} old
 * @param {Axes} fresh
 * @returns {Axes}
 */
export function steadyLimits(old, fresh) {
  if (!old) return fresh;
  return /** @type {Axes} */ (
    fresh.map(([low, high], axis) => {
      const [oldLow, oldHigh] = old[axis];
      const fits = low >= oldLow && high <= oldHigh;
      return fits && high - low > SHRINK_BELOW * (oldHigh - oldLow) ? [oldLow, oldHigh] : [low, high];
    })
  );
}
