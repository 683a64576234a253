// What the components of PLS-DA and OPLS-DA explain and predict: a line below the features, and a dialog
// with their importance or the S-plot. Other panels have no such part.
import { ID } from "../constants.mjs";
import { draw } from "../drawing/plotly.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { byId, colorScheme } from "../page/dom.mjs";
import { addToPanels } from "./features.mjs";

/** @typedef {import("./panel.mjs").Panel} Panel */

export function addLatentStructure() {
  addToPanels((panel) => {
    if (!panel.part("latent-words")) return;
    let isAsked = false;
    panel.part("latent-open").onclick = () => open(panel);
    panel.node.addEventListener("panel:plane", () => {
      if (isAsked || !panel.isFinal) return;
      isAsked = true;
      tell(panel);
    });
  });
}

const addressOf = ({ run }) => `runs/${run}/latent-structure?scheme=${colorScheme()}`;
const inDialog = (name) => byId(ID.latent).querySelector(`[data-latent="${name}"]`);

async function tell(panel) {
  const line = panel.part("latent-words");
  try {
    const { line: shares, words } = await ask(addressOf(panel));
    Object.assign(line, { textContent: shares, title: words });
  } catch (error) {
    line.textContent = sentenceOf(error);
  }
}

async function open(panel) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(ID.latent));
  inDialog("close").onclick = () => dialog.close();
  inDialog("words").textContent = "Computing…";
  if (!dialog.open) dialog.showModal();
  try {
    const { words, figure } = await ask(addressOf(panel));
    inDialog("words").textContent = words;
    inDialog("plot").setAttribute("aria-label", words);
    await draw(inDialog("plot"), figure.data, figure.layout, { scrollZoom: true });
  } catch (error) {
    inDialog("words").textContent = sentenceOf(error);
  }
}
