// The inspector beside the picture: which of its tabs is shown, the same for every run, and what is found out about a run,
// each below its line, one at a time, while its tab and its run are in front.
import { sentenceOf } from "../page/answers.mjs";
import { onClick, whenPresent, write } from "../page/dom.mjs";
import { ACROSS, moveAmong } from "../page/menu.mjs";
import { mode } from "../page/mode.mjs";
import { NO_PLANE, showNotice, whenLoaded } from "../page/notice.mjs";
import { onChange, signal } from "../page/signals.mjs";
import { addToPanels } from "../panel/features.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { Question } from "../panel/question.mjs";
import { frontRun, stage } from "../panel/runs.mjs";
import { placedFile, selectedRows } from "../rows/singled_out.mjs";
import { Analysis, connectColors } from "./analysis.mjs";

/** The tab that is shown, by its name. */
const inspected = signal("features");

/** Shows the tab of one of its parts. @param {Element} part */
const inspect = (part) => inspected.set(/** @type {HTMLElement} */ (part.closest("[data-inspected]")).dataset.inspected);

const tabs = () => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-inspects]"));

export function connectInspector() {
  onClick("[data-inspects]", ({ dataset: { inspects } }) => inspected.set(inspects));
  onChange(inspected, show);
  onChange(selectedRows, (rows) => rows && inspected.set("rows"));
  onChange(placedFile, (file) => file && inspected.set("new"));
  whenPresent("[data-inspects]", mark);
  document.addEventListener("keydown", (event) => {
    const list = /** @type {Element} */ (event.target).closest?.(".inspector-tabs");
    if (list) moveAmong(event, /** @type {HTMLElement[]} */ ([...list.children]), ACROSS);
  });
  show();
}

function show() {
  document.body.dataset.inspector = inspected.value;
  tabs().forEach(mark);
}

// The Tab key stops at the tab that is shown, the arrow keys lead to the others.
function mark(tab) {
  const isShown = tab.dataset.inspects === inspected.value;
  tab.setAttribute("aria-selected", String(isShown));
  tab.tabIndex = isShown ? 0 : -1;
}

// Opens what is found out about a run.

export function addAnalyses() {
  connectColors();
  onChange([inspected, stage], closeAnalyses);
  onChange([inspected, frontRun], () => askKnown(frontPanel()));
  addToPanels((panel) => {
    known.set(panel, aboutKnown(panel));
    panel.node.addEventListener("panel:news", () => askKnown(panel));
    if (panel.part("latent")) nameByShares(panel);
    for (const place of panel.node.querySelectorAll(".analysis")) {
      place.addEventListener("toggle", () => turn(panel, place).catch(console.warn));
    }
  });
}

/** What is asked for the lines of each panel. @type {WeakMap<Panel, Question>} */
const known = new WeakMap();

/** Writes below the lines of the tab that is shown what is known behind them, in front. @param {Panel} panel */
function aboutKnown(panel) {
  const places = () => /** @type {HTMLElement[]} */ ([...panel.node.querySelectorAll(`[data-inspected="${inspected.value}"] [data-known]`)]);
  const isSeen = () => mode.value === "explore" && panel.run === frontRun.value && places().length > 0;
  const tell = (found) => found.refusal || places().forEach((place) => write(place, found[place.dataset.known] ?? ""));
  return new Question(panel, () => isSeen() && `runs/${panel.run}/analyses`, tell);
}

/** @param {Panel | undefined} panel */
function askKnown(panel) {
  const question = known.get(panel);
  question?.forget();
  question?.soon();
}

/** Says on its line what the components of PLS-DA and OPLS-DA explain and predict. @param {Panel} panel */
function nameByShares(panel) {
  const line = panel.part("latent");
  const name = ({ line: shares, words, refusal }) => Object.assign(line, refusal ? { title: refusal } : { textContent: shares, title: words });
  const shares = new Question(panel, () => panel.isFinal && `runs/${panel.run}/latent-structure`, name);
  // The plane may arrive before the news that it is the last.
  for (const event of ["panel:plane", "panel:news"]) panel.node.addEventListener(event, () => shares.now());
}

// What has a module of its own, loaded by the first click; of the others the page shows what their answers say.
const OF_THEIR_OWN = {
  "analyses/class_models": "of_new_rows",
  "analyses/lot_change": "of_new_rows",
  "analyses/resamples": "resamples",
  "analyses/tree": "tree",
  distances: "plane_answer",
  loadings: "plane_answer",
  "trade-off": "plane_answer",
};

/** What was opened, by its place. @type {WeakMap<Element, Analysis>} */
const opened = new WeakMap();

/** @param {Panel} panel @param {any} place that was opened or closed */
async function turn(panel, place) {
  markOpen();
  if (!place.open) {
    opened.get(place)?.rest();
    return askKnown(panel);
  }
  const own = OF_THEIR_OWN[place.dataset.asks];
  const module = own ? await whenLoaded(import(`./${own}.mjs`)) : { Analysis };
  if (module && !panel.plane) showNotice(NO_PLANE);
  if (!module || !panel.plane) return Object.assign(place, { open: false });
  if (!opened.has(place)) opened.set(place, new module.Analysis(place, panel));
  return opened.get(place).open();
}

/** @returns {HTMLDetailsElement[]} */
const anyOpen = () => [.../** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(".inspected .analysis[open]"))];

// On a phone it takes the lower half, and in Present the inspector is there for it.
const markOpen = () => document.body.toggleAttribute("data-asked", anyOpen().length > 0);

/** Closes what is open in the inspector; whether anything was. */
export function closeAnalyses() {
  const open = anyOpen();
  for (const place of open) place.open = false;
  markOpen(); // also of a run that was removed
  return open.length > 0;
}

/** Asks again what is open in a place, which asks for something else now. @param {HTMLDetailsElement} place */
export const askAgain = (place) => place.open && opened.get(place)?.open().catch(console.warn);

/** Where a run has an analysis: only runs of MELM have a tree, only linear ones resamples. @param {Panel | undefined} panel @param {string} name */
const placeOf = (panel, name) => /** @type {HTMLDetailsElement | null} */ (panel?.node.querySelector(`[data-asks="analyses/${name}"]`) ?? null);

/** Opens an analysis of a run that has it, or closes it. @param {Panel | undefined} panel @param {string} name */
export function turnAnalysis(panel, name) {
  const place = placeOf(panel, name);
  if (!place) return;
  if (place.open) return void closeAnalyses();
  inspect(place);
  place.open = true;
  /** @type {HTMLElement} */ (place.firstElementChild).focus();
}

/** Walks along a branch of the tree; where there is none, opens the tree, which begins to grow. @param {Panel | undefined} panel */
export async function walkBranch(panel) {
  const place = placeOf(panel, "tree");
  if (!place || !panel.plane) return;
  const module = await whenLoaded(import("./walk.mjs"));
  if (!module) return;
  const reason = await module.walkTree(panel).catch(sentenceOf);
  if (!reason) return;
  if (!place.open) turnAnalysis(panel, "tree");
  showNotice(reason, { briefly: true });
}
