// Where in a story the next view is, and what the presenter's window is told of it.

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

/**
 * The view on screen and the one after it; before the story begins, its first is the next.
 * @param {{ views: StoryView[], at: number }} story
 */
export function shownViews({ views, at }) {
  return { at, count: views.length, current: views[at] ?? null, next: views[at + 1] ?? null };
}

/**
 * A time span as on a stopwatch.
 * @param {number} milliseconds
 */
export function elapsedLabel(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
