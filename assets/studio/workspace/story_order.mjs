// Where in a story the next view is.

/**
 * The position some steps on, or null if there is none; a story begins at its first view.
 * @param {{ views: unknown[], at: number }} story `at` is -1 before the first
 * @param {number} steps
 * @returns {number | null}
 */
export function positionAfter({ views, at }, steps) {
  const next = at < 0 ? 0 : at + steps;
  return next in views ? next : null;
}

/**
 * How the position is shown.
 * @param {{ views: unknown[], at: number }} story
 */
export function positionLabel({ views, at }) {
  return at < 0 ? viewCount(views) : `${at + 1} of ${views.length}`;
}

/** How many views a story has, in words. @param {unknown[]} views */
export const viewCount = ({ length }) => `${length} ${length === 1 ? "view" : "views"}`;
