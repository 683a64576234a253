// Each tab has its own address: back and forward, reload and bookmarks find table, mode, run and view again. They stand
// behind its "#", as "#compare/RUN?gamma=2".
import { MODES } from "../constants.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { mode } from "../page/mode.mjs";
import { showNotice } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { hiddenSwitches, showOnly, shownLayers, switches } from "../page/switches.mjs";
import { addToPanels } from "./features.mjs";
import { openRun } from "./front_run.mjs";
import { frontPanel, panelOfRun, panelRuns } from "./panels.mjs";
import { runList } from "./run_list.mjs";
import { frontRun } from "./runs.mjs";
import { numbersIn, optionsIn, viewQuery } from "./view_options.mjs";

const FORM = /^#(\w+)(?:\/([\w-]+)(?:\?(.+))?)?$/;
const OTHER_TABLE = "The run of this address is of a table that is prepared otherwise now.";
const SETTLED_MS = 300; // after the last change of a view, which dragging and players change many times a second

/** @typedef {{ mode: string, run: string | null, view: string }} Place its view is as `viewText` writes it */

/**
 * What an address names; null where it names nothing of the page, as a link within it.
 * @param {string} hash
 * @returns {Place | null}
 */
export function placeIn(hash) {
  const [, named, run, view] = FORM.exec(hash) ?? [];
  return MODES.includes(named) ? { mode: named, run: run ?? null, view: view ?? "" } : null;
}

/** The end of the address of a place; empty of the first page. @param {Place} place */
export function hashOf({ mode: shown, run, view }) {
  if (!run) return shown === "explore" ? "" : `#${shown}`;
  return [`#${shown}/${run}`, view].filter(Boolean).join("?");
}

/** Where an address leads, until the page is there. @type {Place | null} */
let wanted = null;
/** The run whose table was chosen for it, and the table that was shown then. @type {{ run: string, instead: any } | null} */
let sought = null;
let settling = 0;
/** The address of a tab that shows what the link in the address bar does; null until that is shown. @type {string | null} */
let ofLink = null;

export function connectTabHistory() {
  // A link is an address of its own; the server restores what it shows.
  if (!location.search) goTo(placeIn(location.hash));
  else if (!new URLSearchParams(location.search).has("method")) ofLink = ""; // of a table or a mode alone
  addEventListener("popstate", () => goTo(placeIn(location.hash)));
  onChange(panelRuns, arrive);
  onChange([mode, frontRun], remember);
  onChange(Object.values(switches), rememberView);
  addToPanels(({ node }) => node.addEventListener("panel:painted", rememberView));
}

/** The address bar has a link to what is on screen, until something else is. */
export function stayAtLink() {
  ofLink = hashHere();
}

/** @param {Place | null} place */
function goTo(place) {
  if (!place) return;
  wanted = place;
  sought = null;
  setProps("mode", { value: place.mode });
  if (place.run) openRun(place.run);
  if (panelRuns.value.length) arrive();
  remember();
}

// The runs of the table are listed: one that is not among them is of another table, or gone.
function arrive() {
  if (!wanted?.run || panelRuns.value.includes(wanted.run)) return;
  if (sought?.run === wanted.run) {
    if (sought.instead !== runList.value.data) giveUp(OTHER_TABLE);
  } else seekTable(wanted.run).catch((error) => giveUp(sentenceOf(error)));
}

async function seekTable(run) {
  sought = { run, instead: runList.value.data };
  const source = await ask(`runs/${run}/source`);
  if (wanted?.run !== run) return;
  openRun(run);
  setProps("choice", { data: source });
}

// Another run stands in front.
function giveUp(reason) {
  showNotice(reason, { briefly: true });
  if (wanted) wanted = { mode: wanted.mode, run: null, view: "" };
}

function rememberView() {
  clearTimeout(settling);
  settling = setTimeout(remember, SETTLED_MS);
}

function hashHere() {
  const panel = frontPanel();
  return hashOf({ mode: mode.value, run: frontRun.value, view: panel ? viewText(panel) : "" });
}

function remember() {
  const here = { mode: mode.value, run: frontRun.value };
  if (wanted) {
    const isThere = here.mode === wanted.mode && (!wanted.run || here.run === wanted.run);
    if (!isThere) return;
    const panel = wanted.run && panelOfRun(wanted.run);
    if (wanted.run && !panel) return;
    const { view } = wanted;
    wanted = null;
    if (panel) showView(panel, view).catch(console.warn);
  }
  const hash = hashHere();
  if (location.search) {
    if (ofLink === null || hash === ofLink) return;
    history.replaceState(history.state, "", `${location.pathname}${ofLink}`);
  }
  if (hash === location.hash) return;
  // A change of the view, what was opened first, and the next picture of a talk are no step to come back from.
  const before = placeIn(location.hash);
  const isElsewhere = before?.run && (before.run !== here.run || before.mode !== here.mode);
  const isStep = isElsewhere && !(before.mode === "present" && here.mode === "present");
  history[isStep ? "pushState" : "replaceState"](history.state, "", `${location.pathname}${hash}`);
}

// The view of a picture as an address has it: the plane, its view options, its axes, and the switches.

const UNREADABLE = "The view in this address cannot be read, so the picture is shown as it was found.";
const DIGITS = 5; // of the ends of axes

/** @typedef {{ plane: number | null, options: ViewOptions, axes: Axes | null, hidden: string[], layers: string[] }} TabView */

/** The view of a panel; empty where nothing was changed. @param {Panel} panel */
export function viewText(panel) {
  const axes = panel.painting.chosenAxes();
  const query = viewQuery(
    {
      ...panel.options,
      plane: panel.isLive ? null : panel.plane?.sequence,
      axes: axes && axes.flat().map((end) => Number(end.toPrecision(DIGITS))).join(":"),
      hidden: hiddenSwitches().join(),
      layers: shownLayers().join(),
    },
    null,
  );
  return String(query).replaceAll("%3A", ":").replaceAll("%2C", ",");
}

/**
 * @param {string} text
 * @returns {TabView}
 * @throws {RangeError} if it is not one that `viewText` writes
 */
export function viewIn(text) {
  const query = new URLSearchParams(text);
  const names = (name) => query.get(name)?.split(",") ?? [];
  const [plane = null] = numbersIn(query.get("plane")) ?? [];
  const [left, right, low, high] = numbersIn(query.get("axes")) ?? [];
  const [hidden, layers] = [names("hidden"), names("layers")];
  const isView = [...hidden, ...layers].every((name) => Object.hasOwn(switches, name));
  if (!isView || (plane !== null && !(Number.isInteger(plane) && plane >= 0))) throw new RangeError(`${text} is no view.`);
  const axes = query.has("axes") ? /** @type {Axes} */ ([[left, right], [low, high]]) : null;
  if (axes?.some(([from, to]) => !(from < to))) throw new RangeError(`${text} has no axes.`);
  return { plane, options: optionsIn(query), axes, hidden, layers };
}

/** The text of the view that an address asked for last. @type {string | null} */
let wantedView = null;

/** Shows the view of an address in a panel; one that cannot be shown says so. @param {Panel} panel @param {string} text */
export async function showView(panel, text) {
  wantedView = text;
  const { requests } = panel;
  if (text === viewText(panel) && requests.sequence === null) return;
  try {
    const { plane, options, axes, hidden, layers } = viewIn(text);
    showOnly(hidden, layers);
    panel.painting.look(axes);
    if (!panel.plane) await new Promise((resolve) => panel.node.addEventListener("panel:painted", resolve, { once: true }));
    if (wantedView !== text) return; // by another address, while the first picture was on its way
    const sequence = Math.min(plane ?? panel.sequence, panel.sequence);
    const address = `${sequence}?${viewQuery(options, panel.peers.reference())}`;
    // The plane on screen stays, with its options, unless the server can draw what is asked for.
    if (requests.sequence !== null || address !== panel.addressWith({})) await requests.request(address, options);
  } catch (error) {
    showNotice(error instanceof RangeError ? UNREADABLE : sentenceOf(error));
  }
}
