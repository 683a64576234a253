// What is said of a plane that stays, beside the strip: the picture in words, for those who do not see it, with the link
// that leads to it; and what its divergence consists of, once that number is pressed.
import { byId, changeSoon, onClick, write } from "../page/dom.mjs";
import { addToPanels } from "./features.mjs";
import { frontPanel } from "./panels.mjs";
import { Question, writeIn } from "./question.mjs";
import { addressOf } from "./view_options.mjs";

const STAYS_MS = 800;

export function addDescriptions() {
  addToPanels((panel) => {
    const [words, plot] = [panel.part("description"), panel.part("plot")];
    words.id = `description-${panel.run}`;
    plot.setAttribute("aria-describedby", words.id);
    // Of a run at work only while the picture has the focus.
    const address = () =>
      panel.isShown() &&
      (panel.isFinal || plot === document.activeElement) &&
      `runs/${panel.run}/description?${panel.query({ plane: panel.plane.sequence })}`;
    const tell = ({ words: said }) => said && changeSoon(() => write(words, said));
    const description = new Question(panel, address, tell, STAYS_MS);
    // The plane may arrive before the news that it is the last.
    for (const event of ["panel:plane", "panel:news"]) panel.node.addEventListener(event, () => description.soon());
    plot.addEventListener("focus", () => description.now());
    const place = panel.part("terms");
    const terms = new Question(panel, () => place.matches(":popover-open") && addressOf(panel, "terms"), writeIn(place));
    place.addEventListener("toggle", () => terms.now());
    panel.node.addEventListener("panel:plane", () => terms.soon());
  });
  // The first link of the page leads to the picture in front, or to the button that begins.
  onClick(".skip-link", (_, event) => {
    event.preventDefault(); // the address stays as it is
    (frontPanel()?.part("plot") ?? byId("panels").querySelector("button"))?.focus();
  });
}
