// What the divergence of the plane on screen consists of, beside its number once that is pressed.
import { addToPanels } from "./features.mjs";
import { Question, writeIn } from "./question.mjs";
import { addressOf } from "./view_options.mjs";

export function addTerms() {
  addToPanels((panel) => {
    const place = panel.part("terms");
    const terms = new Question(panel, () => place.matches(":popover-open") && addressOf(panel, "terms"), writeIn(place));
    place.addEventListener("toggle", () => terms.now());
    panel.node.addEventListener("panel:plane", () => terms.soon());
  });
}
