// What stands behind the "#" of a tab's address: the mode and the run in front, as "#compare/RUN".
import { MODES } from "../constants.mjs";

const FORM = /^#(\w+)(?:\/([\w-]+))?$/;

/** @typedef {{ mode: string, run: string | null }} Place */

/**
 * What an address names; null where it names nothing of the page, as a link within it.
 * @param {string} hash
 * @returns {Place | null}
 */
export function placeIn(hash) {
  const [, mode, run] = FORM.exec(hash) ?? [];
  return MODES.includes(mode) ? { mode, run: run ?? null } : null;
}

/** The end of the address of a place; empty of the first page. @param {Place} place */
export const hashOf = ({ mode, run }) => (run || mode !== "explore" ? `#${[mode, run].filter(Boolean).join("/")}` : "");
