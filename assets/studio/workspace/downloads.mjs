// What is taken along of what is on screen: the files of its plane, a link to it, a figure for print.
import { requested, save as saveAnswer, showFailure } from "../page/answers.mjs";
import { byId, onClick } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { NO_PLANE, showNotice, whenLoaded } from "../page/notice.mjs";
import { shownLayers } from "../page/switches.mjs";
import { frontPanel, isMet, shownPanels } from "../panel/panels.mjs";
import { copyLink } from "./share_link.mjs";

const MOST_RUNS = 9; // of a report
const REPLAY = "replay.html"; // shows the layers that are on

export function addDownloads() {
  onClick("[data-report]", () => (mode.value === "compare" ? saveReport() : saveFileOf(frontPanel(), "report.html")));
  onClick("[data-save]", ({ dataset: { save } }) => saveFileOf(frontPanel(), save));
  onClick("[data-verdict]", () => saveVerdict(frontPanel()).catch(showFailure));
  onClick("[data-figure-of]", () => openFigure().catch(console.warn));
  onClick("[data-link]", () => copyLink(frontPanel()).catch(console.warn));
  onClick("[data-downloads-of]", () => openDownloads(frontPanel()));
}

/** The address of a file of the plane on screen. @param {Panel} panel @param {string} file */
function addressOfFile(panel, file) {
  const query = panel.query({ gamma: null, toward: null, view_angle: null, plane: panel.plane.sequence });
  const layers = file === REPLAY ? `&layers=${shownLayers().join()}` : "";
  return `runs/${panel.run}/${file}?${query}${layers}`;
}

/** @param {Panel | undefined} panel @param {string} file */
function saveFileOf(panel, file) {
  if (!panel?.plane) return showNotice(NO_PLANE);
  return Object.assign(document.createElement("a"), { href: addressOfFile(panel, file), download: "" }).click();
}

// What the check of a run has found, in a file that others can compute again; refused before there is an answer.
async function saveVerdict(/** @type {Panel | undefined} */ panel) {
  if (!panel?.plane) return showNotice(NO_PLANE);
  const name = await saveAnswer(await requested(`runs/${panel.run}/verdict.json`), "verdict.json");
  return showNotice(`Saved as ${name}. Anyone with the table can compute it again, by melm-studio verify.`);
}

/** The files of a run, of the plane on screen. @param {Panel | undefined} panel */
function openDownloads(panel) {
  if (!panel?.plane) return showNotice(NO_PLANE);
  const dialog = /** @type {HTMLDialogElement} */ (byId("downloads"));
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (dialog.querySelectorAll("[data-file]"))) {
    const { file, needs } = link.dataset;
    link.parentElement.hidden = !isMet(needs, panel);
    link.href = addressOfFile(panel, file);
  }
  return dialog.showModal();
}

// The report of all runs on screen.
function saveReport() {
  const drawn = shownPanels().filter(({ plane }) => plane);
  if (!drawn.length) return showNotice(NO_PLANE);
  const query = new URLSearchParams(drawn.slice(0, MOST_RUNS).map(({ run }) => ["run", run]));
  const link = Object.assign(document.createElement("a"), { href: `report.html?${query}`, download: "" });
  return link.click();
}

// The dialog of a figure for print is loaded by the first click.
async function openFigure() {
  (await whenLoaded(import("./figure_dialog.mjs")))?.openFigureDialog();
}
