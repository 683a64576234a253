// What is taken along of a panel: the files of its plane, a link to it, a figure for print.
import { byId, onClick } from "../page/dom.mjs";
import { NO_PLANE, showNotice, whenLoaded } from "../page/notice.mjs";
import { shownLayers } from "../page/switches.mjs";
import { addToPanels } from "../panel/features.mjs";
import { isMet, shownPanels } from "../panel/panels.mjs";
import { copyLink } from "./share_link.mjs";

const MOST_RUNS = 9; // of a report
const REPLAY = "replay.html"; // shows the layers that are on

export function addDownloads() {
  onClick("[data-report]", saveReport);
  onClick("[data-figure-of]", (button) => openFigure(button).catch(console.warn));
  addToPanels((panel) => {
    panel.part("exports").addEventListener("click", ({ target }) => target.dataset.link && copyLink(panel).catch(console.warn));
    panel.part("open-downloads").onclick = () => openDownloads(panel);
  });
}

/** The files of a run, of the plane on screen. @param {Panel} panel */
function openDownloads(panel) {
  if (!panel.plane) return showNotice(NO_PLANE);
  const dialog = /** @type {HTMLDialogElement} */ (byId("downloads"));
  const query = panel.query({ gamma: null, toward: null, view_angle: null, plane: panel.plane.sequence });
  const layers = shownLayers().join();
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (dialog.querySelectorAll("[data-file]"))) {
    const { file, needs } = link.dataset;
    link.parentElement.hidden = !isMet(needs, panel);
    link.href = `runs/${panel.run}/${file}?${query}${file === REPLAY ? `&layers=${layers}` : ""}`;
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
async function openFigure(button) {
  (await whenLoaded(import("./figure_dialog.mjs")))?.openFigureDialog(button);
}
