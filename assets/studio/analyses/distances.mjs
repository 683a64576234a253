// The dialog of T² and Q: draws the distances of all rows, selects a row that is clicked or chosen in
// a list, and draws what contributes to its distances.
import { ask, sentenceOf } from "../page/answers.mjs";
import { byId, colorScheme } from "../page/dom.mjs";
import { addressOf } from "../panel/view_options.mjs";
import { escaped, unescaped } from "../plane/canvas.mjs";
import { clear, draw } from "../plane/plotly.mjs";
import { selectedRows, selectRows } from "../rows/singled_out.mjs";

/** @typedef {{ row: number, label: string, x: number, y: number }} Place of a row in the plot */

const DIALOG = "distances";
const DRAWN = { scrollZoom: true };

const inDialog = (name) => byId("distances").querySelector(`[data-${DIALOG}="${name}"]`);

/** Opens the dialog. @param {Panel} panel */
export async function showDistances(panel) {
  if (!panel.plane) return;
  const dialog = /** @type {HTMLDialogElement} */ (byId("distances"));
  clear(inDialog("contributions"));
  inDialog("row").textContent = "";
  inDialog("words").textContent = "Computing the distances…";
  if (!dialog.open) dialog.showModal();
  const plot = inDialog("plot");
  list([]);
  const answer = await paint(panel, "distances", plot, inDialog("words"));
  if (!answer) return;
  list(answer.rows);
  const choose = (/** @type {Place} */ place) => {
    selectRows([place.row]);
    explain(panel, answer.figure, place);
  };
  inDialog("rows").onchange = ({ target }) => choose(answer.rows[target.selectedIndex - 1]);
  plot.removeAllListeners?.("plotly_click");
  plot.on?.("plotly_click", ({ points: [{ customdata, text, x, y }] }) =>
    choose({ row: customdata, label: unescaped(text), x, y }));
  const [only, ...others] = selectedRows.value ?? [];
  const place = answer.rows.find(({ row }) => row === only);
  if (place && !others.length) explain(panel, answer.figure, place);
}

/** The rows that can be chosen, the farthest first. @param {Place[]} rows */
function list(rows) {
  const options = rows.map(({ label, row }) => new Option(label, String(row)));
  const none = Object.assign(new Option("Choose a row", ""), { disabled: true });
  inDialog("rows").replaceChildren(none, ...options);
  inDialog("rows").disabled = !rows.length;
}

/**
 * Names a row in the plot, and shows why it is where it is.
 * @param {Panel} panel
 * @param {{ data: object[], layout: object }} figure
 * @param {Place} place
 */
async function explain(panel, figure, { row, label, x, y }) {
  inDialog("rows").value = String(row);
  const name = { x, y, text: escaped(label), ax: 0, ay: -28, showarrow: true, arrowhead: 0, font: { size: 13 } };
  await draw(inDialog("plot"), figure.data, { ...figure.layout, annotations: [name] }, DRAWN);
  await paint(panel, `distances/${row}`, inDialog("contributions"), inDialog("row"));
}

const paint = (panel, path, plot, words) => drawAnswer(addressOf(panel, path, { scheme: colorScheme() }), plot, words);

/** How often each plot was requested, so that a late answer is dropped. @type {WeakMap<object, number>} */
const requests = new WeakMap();

/**
 * Draws the figure that a route answers, and says its words, or why there is none.
 * @param {string} address
 * @param {HTMLElement} plot
 * @param {HTMLElement} words
 * @param {(answer: any) => void} [say] says more of the answer, before its figure is drawn
 * @returns {Promise<any>} the answer; null where there is none, or another one was requested meanwhile
 */
export async function drawAnswer(address, plot, words, say = () => undefined) {
  const number = (requests.get(plot) ?? 0) + 1;
  requests.set(plot, number);
  try {
    const answer = await ask(address);
    if (number !== requests.get(plot)) return null;
    words.textContent = answer.words;
    plot.setAttribute("aria-label", answer.words);
    say(answer);
    await draw(plot, answer.figure.data, answer.figure.layout, DRAWN);
    return answer;
  } catch (error) {
    if (number === requests.get(plot)) words.textContent = sentenceOf(error);
    return null;
  }
}
