// Where the rows of a run are drawn once its refits are done: where planes that never saw them put them, or as fitted.
import { hide, write } from "../page/dom.mjs";
import { unbroken } from "../page/number_text.mjs";

/** Connects the switch between the two states of a picture. @param {Panel} panel */
export function addPlaces(panel) {
  for (const button of buttonsOf(panel)) button.onclick = () => showPlaces(panel, button.dataset.places);
  panel.node.addEventListener("panel:plane", ({ detail }) => describe(panel, detail));
}

/** Shows the other state of a panel that has two. @param {Panel | null} panel */
export function switchPlaces(panel) {
  const state = panel?.plane?.places?.state;
  if (state) showPlaces(panel, state === "unseen" ? "fitted" : "unseen");
}

/** @param {Panel} panel @param {string} state */
const showPlaces = (panel, state) => panel.changeView({ places: state === "fitted" ? "fitted" : null });

/** @param {Panel} panel @returns {HTMLButtonElement[]} */
const buttonsOf = (panel) => [...panel.part("places").querySelectorAll("[data-places]")];

/** @param {Panel} panel @param {Plane} plane */
function describe(panel, { places, has_held_out: hasHeldOut }) {
  panel.node.classList.toggle("has-held-out", hasHeldOut);
  panel.node.toggleAttribute("data-two-places", Boolean(places?.state));
  panel.node.toggleAttribute("data-blurred", Boolean(places?.warning));
  hide(panel.part("places"), !places);
  if (!places) return;
  for (const button of buttonsOf(panel)) {
    hide(button, !places.state);
    button.setAttribute("aria-pressed", String(button.dataset.places === places.state));
  }
  write(panel.part("blur"), unbroken(places.warning));
  write(panel.part("moves"), unbroken(places.words));
}
