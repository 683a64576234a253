// The dialog of the features of a run: the server says and draws what it shows.
import { byId, colorScheme } from "../page/dom.mjs";
import { clear } from "../plane/plotly.mjs";
import { drawAnswer } from "./distances.mjs";

/** @typedef {{ title: string, words: string, note: string, figure: { data: object[], layout: object } }} Shown */

const inDialog = (name) => byId("features-view").querySelector(`[data-features="${name}"]`);

/**
 * Opens the dialog with what a route answers.
 * @param {string} address
 */
export async function openFeatures(address) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("features-view"));
  const plot = inDialog("plot");
  for (const name of ["title", "note"]) inDialog(name).textContent = "";
  inDialog("words").textContent = "Computing…";
  clear(plot);
  if (!dialog.open) dialog.showModal();
  await drawAnswer(`${address}?scheme=${colorScheme()}`, plot, inDialog("words"), (/** @type {Shown} */ shown) => {
    for (const name of ["title", "note"]) inDialog(name).textContent = shown[name];
  });
}
