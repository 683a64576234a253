// What the presenter's window is sent.

/** @typedef {import("../types").StoryView} StoryView */

/** The name of the channel between a tab and its window. @param {string} key */
export const channelName = (key) => `melm-presenter-${key}`;

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
