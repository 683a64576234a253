// The dialog of the features of a run: the server says and draws what it shows.
import { ID } from "../constants.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { byId, colorScheme } from "../page/dom.mjs";
import { clear, draw } from "../plane/plotly.mjs";

/** @typedef {{ title: string, words: string, note: string, figure: { data: object[], layout: object } }} Shown */

const inDialog = (name) => byId(ID.featuresView).querySelector(`[data-features="${name}"]`);

let nOpened = 0; // so that a late answer to what was opened before is dropped

/**
 * Opens the dialog with what a route answers.
 * @param {string} address
 */
export async function openFeatures(address) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(ID.featuresView));
  const plot = inDialog("plot");
  const number = (nOpened += 1);
  for (const name of ["title", "note"]) inDialog(name).textContent = "";
  inDialog("words").textContent = "Computing…";
  clear(plot);
  if (!dialog.open) dialog.showModal();
  try {
    /** @type {Shown} */
    const shown = await ask(`${address}?scheme=${colorScheme()}`);
    if (number !== nOpened) return;
    for (const name of ["title", "words", "note"]) inDialog(name).textContent = shown[name];
    plot.setAttribute("aria-label", shown.words);
    await draw(plot, shown.figure.data, shown.figure.layout, { scrollZoom: true });
  } catch (error) {
    if (number === nOpened) inDialog("words").textContent = sentenceOf(error);
  }
}
