// Each tab has its own address: back and forward, reload and bookmarks find mode and run again. They stand behind
// its "#", as "#compare/RUN".
import { MODES } from "../constants.mjs";
import { setProps } from "../page/dash.mjs";
import { mode } from "../page/mode.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { openRun } from "./front_run.mjs";
import { panelRuns } from "./panels.mjs";
import { frontRun } from "./runs.mjs";

const FORM = /^#(\w+)(?:\/([\w-]+))?$/;
const GONE = "The run of this address is gone, or belongs to another table.";

/** @typedef {{ mode: string, run: string | null }} Place */

/**
 * What an address names; null where it names nothing of the page, as a link within it.
 * @param {string} hash
 * @returns {Place | null}
 */
export function placeIn(hash) {
  const [, named, run] = FORM.exec(hash) ?? [];
  return MODES.includes(named) ? { mode: named, run: run ?? null } : null;
}

/** The end of the address of a place; empty of the first page. @param {Place} place */
export const hashOf = ({ mode: shown, run }) => (run || shown !== "explore" ? `#${[shown, run].filter(Boolean).join("/")}` : "");

/** Where an address leads, until the page is there. @type {Place | null} */
let wanted = null;

export function connectTabHistory() {
  // A link is an address of its own; the server restores what it shows.
  if (!location.search) goTo(placeIn(location.hash));
  addEventListener("popstate", () => goTo(placeIn(location.hash)));
  onChange(panelRuns, arrive);
  onChange([mode, frontRun], remember);
}

/** @param {Place | null} place */
function goTo(place) {
  if (!place) return;
  wanted = place;
  setProps("mode", { value: place.mode });
  if (place.run) openRun(place.run);
  if (panelRuns.value.length) arrive();
}

// The runs of the table are listed: if the one that the address names is not among them, another stands in front.
function arrive() {
  if (!wanted?.run || panelRuns.value.includes(wanted.run)) return;
  showNotice(GONE, { briefly: true });
  wanted = { mode: wanted.mode, run: null };
}

function remember() {
  const here = { mode: mode.value, run: frontRun.value };
  if (wanted) {
    const isThere = here.mode === wanted.mode && (!wanted.run || here.run === wanted.run);
    if (isThere) wanted = null;
    else return;
  }
  const hash = hashOf(here);
  if (location.search || hash === location.hash) return;
  // What was opened first, and the next picture of a talk, are no step to come back from.
  const before = placeIn(location.hash);
  const isStep = before?.run && !(before.mode === "present" && here.mode === "present");
  history[isStep ? "pushState" : "replaceState"](history.state, "", `${location.pathname}${hash}`);
}
