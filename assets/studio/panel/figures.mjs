// The styles of a run's figures, fetched once for each color scheme.

/** @type {Map<string, Promise<import("../types").Figure>>} */
const figures = new Map();

/**
 * The figure of a run; requests made while it is fetched share the answer.
 * @param {string} run
 * @param {string} scheme
 */
export function figureOf(run, scheme) {
  const address = `${addressOf(run)}?scheme=${scheme}`;
  if (!figures.has(address)) figures.set(address, fetchFigure(address));
  return figures.get(address);
}

/** Forgets the figures of a run that was removed. @param {string} run */
export function forgetFigures(run) {
  for (const address of figures.keys()) {
    if (address.startsWith(addressOf(run))) figures.delete(address);
  }
}

const addressOf = (run) => `runs/${run}/figure`;

async function fetchFigure(address) {
  const answer = await fetch(address).catch(() => null);
  if (answer?.ok) return answer.json();
  figures.delete(address); // so that it is fetched again
  throw new Error(`${address}: ${answer?.status ?? "no answer"}`);
}
