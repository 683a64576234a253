// What the divergence of the plane on screen consists of, beside its number once that is pressed.
import { element } from "../page/dom.mjs";
import { connectPopover } from "../page/menu.mjs";
import { addToPanels } from "./features.mjs";

/** @typedef {{ title: string, rows: [string, string, string][], note: string }} Terms */

const AT_REST_MS = 120; // a plane that stays this long is at rest
const NO_ANSWER = "The server did not answer. Close and open this again.";

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
  const address = `runs/${panel.run}/planes/${panel.addressWith({}).replace("?", "/terms?")}`;
  const answer = await fetch(address).catch(() => null);
  const terms = answer && (await answer.json());
  place.replaceChildren(...(answer?.ok ? linesOf(terms) : [element("p", "hint", terms?.error ?? NO_ANSWER)]));
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
