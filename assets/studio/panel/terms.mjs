// What the divergence of the plane on screen consists of, beside its number once that is pressed.
import { ask, sentenceOf } from "../page/answers.mjs";
import { element } from "../page/dom.mjs";
import { connectPopover } from "../page/menu.mjs";
import { addToPanels } from "./features.mjs";
import { addressOf } from "./view_options.mjs";

/** @typedef {{ title: string, rows: [string, string, string][], note: string }} Terms */

const AT_REST_MS = 120; // a plane that stays this long is at rest

export function addTerms() {
  addToPanels((panel) => {
    const [button, place] = [panel.part("terms-button"), panel.part("terms")];
    connectPopover(button, place);
    let waiting = 0;
    place.addEventListener("beforetoggle", ({ newState }) => newState === "open" && fill(panel, place));
    panel.node.addEventListener("panel:plane", () => {
      clearTimeout(waiting);
      if (place.matches(":popover-open")) waiting = window.setTimeout(() => fill(panel, place), AT_REST_MS);
    });
  });
}

/** @param {Panel} panel @param {HTMLElement} place */
async function fill(panel, place) {
  if (!place.childElementCount) place.append(element("p", "hint", "Computing"));
  if (!panel.plane) return;
  place.replaceChildren(...(await ask(addressOf(panel, "terms")).then(linesOf, (error) => [element("p", "hint", sentenceOf(error))])));
}

/** @param {Terms} terms */
function linesOf({ title, rows, note }) {
  const table = document.createElement("table");
  for (const [name, number, meaning] of rows) {
    const head = element("th", "", name);
    head.setAttribute("scope", "row");
    const row = table.insertRow();
    row.append(head, element("td", "", number), element("td", "", meaning));
  }
  return [element("strong", "", title), table, element("p", "hint", note)];
}
