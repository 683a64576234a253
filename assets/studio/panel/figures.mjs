// The styles of a run's figures, fetched once for each color scheme.

/** @type {Map<string, Promise<import("../types").Figure>>} */
const figures = new Map();

/**
 * The figure of a run; requests made while it is fetched share the answer.
 * @param {string} run
 * @param {string} scheme
 */
export function figureOf(run, scheme) {
  const address = `runs/${run}/figure?scheme=${scheme}`;
  if (!figures.has(address)) figures.set(address, fetchFigure(address));
  return figures.get(address);
}

async function fetchFigure(address) {
  const answer = await fetch(address).catch(() => null);
  if (answer?.ok) return answer.json();
  figures.delete(address); // so that it is fetched again
  throw new Error(`${address}: ${answer?.status ?? "no answer"}`);
}
