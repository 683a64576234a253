// The keys of Present, and what its buttons do.
import { closeAnalyses, turnAnalysis, walkBranch } from "../analyses/inspector.mjs";
import { setProps } from "../page/dash.mjs";
import { byId, onClick } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { NO_SERVER, showNotice, whenLoaded } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { setSwitches, switches } from "../page/switches.mjs";
import { switchPlaces } from "../panel/commands.mjs";
import { runHere } from "../panel/new_runs.mjs";
import { allPanels, frontPanel } from "../panel/panels.mjs";
import { bringToFront } from "../panel/runs.mjs";
import { hasStory, stepStory } from "../workspace/story.mjs";
import { keptTalk } from "./kept_talk.mjs";

const PAGE_KEYS = ["PageUp", "PageDown"];

/** Connects the keys. @param {() => Promise<unknown> | undefined} playMorph */
export function connectKeys(playMorph) {
  // A run that comes to the front, perhaps by itself, leaves the screen blank.
  onChange(mode, (shown) => shown === "present" || document.body.removeAttribute("data-blank"));
  const actions = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    PageUp: () => step(-1), // clickers send these two
    PageDown: () => step(1),
    b: toggleBlank,
    ".": toggleBlank,
    v: () => setSwitches({ verdict: !switches.verdict.value }),
    u: () => switchPlaces(frontPanel()),
    n: openPresenter,
    " ": () => (isOnItsWay() ? playMorph() : frontPanel()?.history.play())?.catch(console.warn),
    m: () => playMorph()?.catch(console.warn),
    t: () => turnAnalysis(frontPanel(), "tree"),
    r: runHere,
    s: () => turnAnalysis(frontPanel(), "resamples"),
    w: () => walkBranch(frontPanel()),
    q: showTalkCode,
    f: toggleFullScreen,
    "?": toggleKeys,
    Escape: () => closeAnalyses() || leave(),
  };
  document.addEventListener("keydown", (event) => {
    const action = isForPresent(event) && (actions[event.key] ?? runAction(event.key));
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** Shows or hides the list of keys, which is that of the help. */
export function toggleKeys() {
  const list = byId("keys");
  const ofPresent = [...byId("help").querySelectorAll(".key-list")].at(-1);
  list.replaceChildren(.../** @type {Element} */ (ofPresent.cloneNode(true)).children);
  list.toggleAttribute("hidden");
}

/** Leaves Present. */
export const leave = () => setProps("mode", { value: "explore" });

/** Blanks the screen, or shows it again. */
const toggleBlank = () => document.body.toggleAttribute("data-blank");

export function toggleFullScreen() {
  if (document.fullscreenElement) return document.exitFullscreen();
  return document.documentElement.requestFullscreen().catch(console.warn);
}

// A morph that was paused goes on, rather than the run from its beginning.
function isOnItsWay() {
  const share = frontPanel()?.options.morph?.[1] ?? 0;
  return share > 0 && share < 1;
}

// Through the story, or through the planes of the run where there is none.
const step = (steps) => (hasStory() ? stepStory(steps) : stepPlane(steps));

function stepPlane(steps) {
  const panel = frontPanel();
  if (!panel?.plane) return;
  panel.history.player.pause();
  panel.scrubTo(Math.min(Math.max(panel.plane.sequence + steps, 0), panel.sequence));
}

// Digits choose the front run.
function runAction(key) {
  if (!/^[1-9]$/.test(key)) return null;
  return () => {
    const panel = allPanels()[Number(key) - 1];
    if (panel) bringToFront(panel.run);
  };
}

function isForPresent(event) {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  return mode.value === "present" && !hasModifier && !isTaken(event);
}

// Fields, sliders and windows have the keys to themselves, and buttons have Space and Enter. Only
// a clicker leads through a story whatever was touched last; arrow keys and fields do without its keys.
function isTaken({ target, key }) {
  if (document.querySelector("dialog:modal")) return true; // even where none of its parts has the focus
  if (key === "Escape" && document.querySelector(".playback :popover-open")) return true; // closes that
  if (hasStory() && PAGE_KEYS.includes(key)) return Boolean(target.closest?.("textarea, [contenteditable], [role=dialog]"));
  if (target.closest?.("input, textarea, select, [contenteditable], [role=dialog]")) return true;
  return (key === " " || key === "Enter") && Boolean(target.closest?.("button, a, summary"));
}

// The presenter's window asks this page for what it shows.

const SIZE = "popup,width=1180,height=760";
const NO_WINDOW = "The browser blocked the presenter’s window. Allow pop-ups for this page, then press Notes again.";

/** @type {Window | null} */
let opened = null;

/** Lets the window ask, also after either page was loaded again. */
export function connectPresenter() {
  window.presented = (asking) => {
    opened = asking;
    return import("./presenter_window.mjs");
  };
}

/** Opens the window with the notes and the next view, or brings it to the front. */
export function openPresenter() {
  if (!opened || opened.closed) opened = window.open("presenter", "_blank", SIZE);
  if (opened) opened.focus();
  else showNotice(NO_WINDOW);
}

// What a talk needs is loaded when Share is first pressed, or at once where a talk of this browser goes on.

export function connectShareButton() {
  onClick('[data-bar="share"]', () => withTalk((talk) => talk.openTalkDialog()));
  if (keptTalk()) import("./talk.mjs").then((talk) => talk.resumeTalk()).catch(console.warn);
}

/** Shows the code of the talk on the whole screen. */
const showTalkCode = () => withTalk((talk) => talk.showCode());

/** @param {(talk: typeof import("./talk.mjs")) => Promise<void>} act */
const withTalk = async (act) => {
  const talk = await whenLoaded(import("./talk.mjs"));
  if (talk) await act(talk).catch(() => showNotice(NO_SERVER));
};
