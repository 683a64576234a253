// The picture for those who do not see it: in words, fetched once a plane stays, and the link that leads to it.
import { ask } from "../page/answers.mjs";
import { byId, changeSoon, onClick, write } from "../page/dom.mjs";
import { addToPanels } from "./features.mjs";
import { frontPanel } from "./panels.mjs";

const STAYS_MS = 800;

export function addDescriptions() {
  addToPanels((panel) => {
    const [words, plot] = [panel.part("description"), panel.part("plot")];
    words.id = `description-${panel.run}`;
    plot.setAttribute("aria-describedby", words.id);
    let timer = 0;
    // The plane may arrive before the news that it is the last.
    for (const event of ["panel:plane", "panel:news"]) {
      panel.node.addEventListener(event, () => {
        clearTimeout(timer);
        timer = setTimeout(() => panel.isFinal && describe(panel, words), STAYS_MS);
      });
    }
    plot.addEventListener("focus", () => describe(panel, words)); // also of a run at work
  });
  // The first link of the page leads to the picture in front, or to the button that begins.
  onClick(".skip-link", (_, event) => {
    event.preventDefault(); // the address stays as it is
    (frontPanel()?.part("plot") ?? byId("panels").querySelector("button"))?.focus();
  });
}

/** @param {Panel} panel @param {HTMLElement} words */
async function describe(panel, words) {
  if (!panel.plane || panel.isDisposed || !panel.isShown()) return;
  const address = `runs/${panel.run}/description?plane=${panel.plane.sequence}&${panel.query()}`;
  if (words.dataset.of === address) return;
  words.dataset.of = address;
  try {
    const answer = await ask(address);
    changeSoon(() => words.dataset.of === address && write(words, answer.words));
  } catch (error) {
    delete words.dataset.of; // so that it is asked again
    console.warn(error);
  }
}
