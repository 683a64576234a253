// Help: a dialog, and a tour of the page that stops at a few elements.
import { byId, onClick } from "./dom.mjs";
import { showSheet } from "./sheet.mjs";

let at = 0;

export function connectHelp() {
  onClick("#help-open", () => byId("help").showModal());
  onClick("#help button[data-help]", ({ dataset: { help } }) => {
    byId("help").close();
    if (help === "tour") stopAt(0);
  });
  // A click beside the dialog is one on its backdrop.
  byId("help").addEventListener("click", ({ target }) => target === byId("help") && byId("help").close());
  const note = byId("tour-note");
  onClick("[data-tour]", ({ dataset: { tour } }) => stopAt(tour === "next" ? at + 1 : Infinity));
  note.addEventListener("keydown", ({ key }) => key === "Escape" && stopAt(Infinity));
}

const stops = () => /** @type {HTMLElement[]} */ ([...byId("tour").children]);

function stopAt(position) {
  document.querySelectorAll(".is-toured").forEach((element) => element.classList.remove("is-toured"));
  const note = byId("tour-note");
  const stop = stops()[position];
  note.hidePopover(); // it is shown anew beside another element
  if (!stop) {
    byId("help-open").focus();
    return;
  }
  at = position;
  showSheet(stop.dataset.within === "table");
  const target = document.querySelector(stop.dataset.stop);
  target.classList.add("is-toured");
  note.querySelector("p").textContent = stop.textContent;
  note.querySelector(".tour-count").textContent = `${position + 1} of ${stops().length}`;
  const next = note.querySelector('[data-tour="next"]');
  next.textContent = position + 1 < stops().length ? "Next" : "Done";
  note.showPopover({ source: target }); // beside which styles place it
  next.focus();
}
