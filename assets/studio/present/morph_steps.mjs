// The steps of a morph, from the plane of one run to that of another.

const STEPS = 72; // from one end to the other at normal speed

/** Slow at both ends. @param {number} share */
export const eased = (share) => share * share * (3 - 2 * share);

/**
 * The shares of the way at which planes are shown, to the farther end, slow at both ends.
 * @param {number} from share of the way at the beginning
 * @param {number} speed
 * @returns {number[]}
 */
export function morphShares(from, speed) {
  const to = from < 1 ? 1 : 0;
  const count = Math.ceil((Math.abs(to - from) * STEPS) / speed);
  return Array.from({ length: count }, (_, i) => from + (to - from) * eased((i + 1) / count));
}
