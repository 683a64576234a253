// Opens what is found out about a run beside its picture: the tree of its planes, its resamples, the loadings of its
// plane, how few features suffice, its features, its decision surface, the distances of its rows. Their scripts are
// loaded by the first click.
import { sentenceOf } from "../page/answers.mjs";
import { write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { NO_PLANE, showNotice, whenLoaded } from "../page/notice.mjs";
import { onChange } from "../page/signals.mjs";
import { addToPanels } from "../panel/features.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { Question } from "../panel/question.mjs";
import { frontRun } from "../panel/runs.mjs";
import { selectedRows } from "../rows/singled_out.mjs";
import { inspected } from "./inspector.mjs";

export function addAnalyses() {
  onChange([inspected, frontRun], () => askKnown(frontPanel()));
  document.addEventListener("close", () => askKnown(frontPanel()), true); // of a dialog, which may have found something
  addToPanels((panel) => {
    known.set(panel, aboutKnown(panel));
    panel.node.addEventListener("panel:news", () => askKnown(panel));
    panel.part("show-distances")?.addEventListener("click", () => openDistances(panel)); // not of a nonlinear projection
    if (panel.part("latent")) nameByShares(panel);
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (panel.node.querySelectorAll("[data-analysis]"))) {
      button.onclick = () => openAnalysis(panel, button.dataset.analysis);
    }
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (panel.node.querySelectorAll("[data-answer]"))) {
      button.onclick = () => openAnalysis(panel, "answer", `runs/${panel.run}/${button.dataset.answer}`);
    }
  });
}

/** What is asked for the doors of each panel. @type {WeakMap<Panel, Question>} */
const known = new WeakMap();

/** Writes below the doors of the tab that is shown what is known behind them, in front. @param {Panel} panel */
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

/** Opens the distances of all rows; one that is selected is explained. @param {Panel} panel */
function openDistances(panel) {
  if (!panel.plane) return;
  const [row, ...others] = selectedRows.value ?? [];
  const asked = { ...Object.fromEntries(panel.query()), row: row && !others.length ? String(row) : "" };
  openAnalysis(panel, "answer", `runs/${panel.run}/planes/${panel.plane.sequence}/distances`, asked);
}

/** Says on a button what the components of PLS-DA and OPLS-DA explain and predict. @param {Panel} panel */
function nameByShares(panel) {
  const button = panel.part("latent");
  const name = ({ line, words, refusal }) => Object.assign(button, refusal ? { title: refusal } : { textContent: line, title: words });
  const shares = new Question(panel, () => panel.isFinal && `runs/${panel.run}/${button.dataset.answer}`, name);
  // The plane may arrive before the news that it is the last.
  for (const event of ["panel:plane", "panel:news"]) panel.node.addEventListener(event, () => shares.now());
}

/** Whether a run has that: only runs of MELM have a tree, only linear ones resamples. @param {Panel | undefined} panel @param {string} name */
const offers = (panel, name) => Boolean(panel?.node.querySelector(`[data-analysis="${name}"]`));

/** Opens what is beside the plane of a run, if it has that. @param {Panel | undefined} panel @param {string} name of the analysis */
export async function openOther(panel, name) {
  if (offers(panel, name)) await openAnalysis(panel, name);
}

// What has a module of its own; of the others the page shows what their answers say.
const OF_THEIR_OWN = {
  answer: "answer_view",
  class_models: "new_rows_view",
  loadings: "loadings_view",
  lot_change: "new_rows_view",
  resamples: "resamples_view",
  tree: "tree_view",
};

/** What was opened, by name. @type {Record<string, import("./beside.mjs").View>} */
const views = {};

/**
 * Opens an analysis of a run, or with the name "answer" what an address answers.
 * @param {Panel} panel
 * @param {string} name
 * @param {[address?: string, asked?: Record<string, string>]} where
 */
export async function openAnalysis(panel, name, ...where) {
  const view = OF_THEIR_OWN[name] ?? "beside";
  const module = await whenLoaded(import(`./${view}.mjs`));
  if (!module) return;
  if (!panel.plane) return showNotice(NO_PLANE);
  views[name] ??= new module.View(name);
  views[name].open(panel, ...where);
}

/** Walks along a branch of the tree; where there is none, opens the tree, which begins to grow. @param {Panel | undefined} panel */
export async function walkBranch(panel) {
  if (!offers(panel, "tree") || !panel.plane) return;
  const module = await whenLoaded(import("./walk.mjs"));
  if (!module) return;
  const reason = await module.walkTree(panel).catch(sentenceOf);
  if (!reason) return;
  await openAnalysis(panel, "tree");
  showNotice(reason, { briefly: true });
}
