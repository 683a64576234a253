// What the components of PLS-DA and OPLS-DA explain and predict: on a button that opens more about them, with
// the importance of the features or the S-plot. Other panels have no such button.
import { ask, sentenceOf } from "../page/answers.mjs";
import { whenLoaded } from "../page/notice.mjs";
import { addToPanels } from "../panel/features.mjs";

export function addLatentStructure() {
  addToPanels((panel) => {
    const button = panel.part("latent");
    if (!button) return;
    let isAsked = false;
    button.onclick = async () => (await whenLoaded(import("./features_dialog.mjs")))?.openFeatures(addressOf(panel));
    // The plane may arrive before the news that it is the last.
    for (const event of ["panel:plane", "panel:news"]) {
      panel.node.addEventListener(event, () => {
        if (isAsked || !panel.isFinal || !panel.plane) return;
        isAsked = true;
        name(button, addressOf(panel));
      });
    }
  });
}

/** @param {Panel} panel */
const addressOf = ({ run }) => `runs/${run}/latent-structure`;

async function name(button, address) {
  try {
    const { line, words } = await ask(address);
    Object.assign(button, { textContent: line, title: words });
  } catch (error) {
    button.title = sentenceOf(error);
  }
}
