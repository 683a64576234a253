// The dialog of T² and Q: draws the distances of all rows, selects a row that is clicked, and draws
// what contributes to its distances.
import { ID } from "../constants.mjs";
import { clear, draw } from "../drawing/plotly.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { byId, colorScheme } from "../page/dom.mjs";
import { addToPanels } from "../panel/features.mjs";
import { selectRows } from "../selection/selection.mjs";
import { state } from "../state.mjs";
import { addressOf } from "./plane_address.mjs";

const DIALOG = "distances";

export function addDistances() {
  addToPanels((panel) => {
    panel.part("show-distances").onclick = () => show(panel);
  });
}

const inDialog = (name) => byId(ID.distances).querySelector(`[data-${DIALOG}="${name}"]`);

/** @param {import("../panel/panel.mjs").Panel} panel */
async function show(panel) {
  if (!panel.plane) return;
  const dialog = /** @type {HTMLDialogElement} */ (byId(ID.distances));
  inDialog("close").onclick = () => dialog.close();
  clear(inDialog("contributions"));
  inDialog("row").textContent = "";
  inDialog("words").textContent = "Computing the distances…";
  if (!dialog.open) dialog.showModal();
  const plot = inDialog("plot");
  await paint(panel, "distances", plot, inDialog("words"));
  plot.removeAllListeners?.("plotly_click");
  plot.on?.("plotly_click", ({ points }) => explain(panel, points[0].customdata));
  const [only, ...others] = state.rows ?? [];
  if (only !== undefined && !others.length) explain(panel, only, false);
}

// Selects a row, and shows why it is where it is.
function explain(panel, row, isChosen = true) {
  if (isChosen) selectRows([row]);
  return paint(panel, `distances/${row}`, inDialog("contributions"), inDialog("row"));
}

async function paint(panel, path, plot, words) {
  try {
    const answer = await ask(addressOf(panel, path, { scheme: colorScheme() }));
    words.textContent = answer.words;
    plot.setAttribute("aria-label", answer.words);
    await draw(plot, answer.figure.data, answer.figure.layout, { scrollZoom: true });
  } catch (error) {
    words.textContent = sentenceOf(error);
  }
}
