// The planes of a recap.

const [FEWEST, MOST] = [3, 12];

/**
 * The planes at which a search improved, without the last: evenly thinned, none if they are few.
 * @param {import("../types").News} news of the planes that were not shown
 * @returns {number[]} sequences
 */
export function recapSequences({ sequences, objective, best }) {
  const improved = sequences.filter((_, i) => objective[i] >= best[i] && best[i] > (best[i - 1] ?? -Infinity));
  const passed = improved.filter((sequence) => sequence !== sequences.at(-1));
  if (passed.length < FEWEST) return [];
  const n = Math.min(MOST, passed.length);
  return Array.from({ length: n }, (_, i) => passed[Math.round((i * (passed.length - 1)) / (n - 1))]);
}
