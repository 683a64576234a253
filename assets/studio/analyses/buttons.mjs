// Opens what an analysis of a run has found: the tree of its planes, its resamples, the loadings of its plane, how few
// features suffice, the distances of its rows. Their scripts are loaded by the first click.
import { sentenceOf } from "../page/answers.mjs";
import { showNotice, whenLoaded } from "../page/notice.mjs";
import { addToPanels } from "../panel/features.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

export function addOtherPlanes() {
  addToPanels((panel) => {
    connect(panel, "open-loadings", openLoadings);
    connect(panel, "show-distances", openDistances); // a nonlinear projection has none
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (panel.node.querySelectorAll("[data-analysis]"))) {
      button.onclick = () => openAnalysis(panel, button.dataset.analysis);
    }
  });
}

/** @param {Panel} panel @param {string} part @param {(panel: Panel) => Promise<void>} open */
function connect(panel, part, open) {
  const button = panel.part(part);
  if (button) button.onclick = () => open(panel);
}

// Only runs of MELM have a tree, only linear ones resamples.
const offers = (panel, name) => Boolean(panel?.node.querySelector(`[data-analysis="${name}"]`));

/** @param {Panel | undefined} panel */
export async function openTree(panel) {
  if (offers(panel, "tree")) await openAnalysis(panel, "tree");
}

/** @param {Panel | undefined} panel */
export async function openResamples(panel) {
  if (offers(panel, "resamples")) await openAnalysis(panel, "resamples");
}

/** @param {Panel} panel */
async function openLoadings(panel) {
  if (!panel.plane) return;
  (await whenLoaded(import("./loadings_view.mjs")))?.showLoadings(panel);
}

/** Opens an analysis of a run, by its module. @param {Panel} panel @param {string} name */
export async function openAnalysis(panel, name) {
  (await whenLoaded(import(`./${name}_view.mjs`)))?.showAnalysis(panel);
}

/** @param {Panel} panel */
async function openDistances(panel) {
  (await whenLoaded(import("./distances.mjs")))?.showDistances(panel);
}

/** Walks along a branch of the tree; where there is none, opens the tree, which begins to grow. @param {Panel | undefined} panel */
export async function walkBranch(panel) {
  if (!offers(panel, "tree") || !panel.plane) return;
  const module = await whenLoaded(import("./walk.mjs"));
  if (!module) return;
  const reason = await module.walkTree(panel).catch(sentenceOf);
  if (!reason) return;
  await openTree(panel);
  showNotice(reason, { briefly: true });
}
