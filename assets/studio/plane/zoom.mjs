// Zooming: axes about a place that is kept.

const [LONGEST_STEP, STEPS] = [20, 200]; // of a turn, as in plotly

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
