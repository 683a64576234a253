// Help: a dialog, and a tour of the page that stops at a few elements.
import { ID } from "../constants.mjs";
import { byId, onClick } from "./dom.mjs";
import { showSection } from "./sections.mjs";
import { placeWithin } from "./tooltips.mjs";

let at = 0;

export function connectHelp() {
  onClick(`#${ID.helpOpen}`, () => byId(ID.help).showModal());
  onClick(`#${ID.help} button[data-help]`, ({ dataset: { help } }) => {
    byId(ID.help).close();
    if (help === "tour") stopAt(0);
  });
  // A click beside the dialog is one on its backdrop.
  byId(ID.help).addEventListener("click", ({ target }) => target === byId(ID.help) && byId(ID.help).close());
  const note = byId(ID.tourNote);
  note.addEventListener("click", ({ target }) => target.dataset.tour && stopAt(target.dataset.tour === "next" ? at + 1 : Infinity));
  note.addEventListener("keydown", ({ key }) => key === "Escape" && stopAt(Infinity));
}

const stops = () => /** @type {HTMLElement[]} */ ([...byId(ID.tour).children]);

function stopAt(position) {
  document.querySelectorAll(".is-toured").forEach((element) => element.classList.remove("is-toured"));
  const note = byId(ID.tourNote);
  const stop = stops()[position];
  if (!stop) {
    note.hidePopover();
    byId(ID.helpOpen).focus();
    return;
  }
  at = position;
  showSection(stop.dataset.within);
  const target = document.querySelector(stop.dataset.stop);
  target.classList.add("is-toured");
  note.querySelector("p").textContent = stop.textContent;
  note.querySelector(".tour-count").textContent = `${position + 1} of ${stops().length}`;
  const next = note.querySelector('[data-tour="next"]');
  next.textContent = position + 1 < stops().length ? "Next" : "Done";
  note.showPopover();
  placeWithin(note, target.getBoundingClientRect());
  next.focus();
}
