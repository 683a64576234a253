// Help: a dialog, and a tour of the page that stops at a few elements.
import { ID } from "../constants.mjs";
import { byId, span, whenPresent } from "./dom.mjs";
import { showSection } from "./sections.mjs";
import { placeWithin } from "./tooltips.mjs";

/** @type {HTMLElement | null} */
let note = null;
let at = 0;

export function connectHelp() {
  whenPresent(`#${ID.helpOpen}`, (button) => button.addEventListener("click", () => byId(ID.help).showModal()));
  whenPresent(`#${ID.help}`, (dialog) => {
    dialog.addEventListener("click", ({ target }) => {
      const { help } = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("button[data-help]"))?.dataset ?? {};
      if (!help && target !== dialog) return; // a click beside the dialog is one on its backdrop
      byId(ID.help).close();
      if (help === "tour") stopAt(0);
    });
  });
}

const stops = () => /** @type {HTMLElement[]} */ ([...byId(ID.tour).children]);

function stopAt(position) {
  leave();
  const stop = stops()[position];
  if (!stop) {
    note?.hidePopover();
    byId(ID.helpOpen).focus();
    return;
  }
  at = position;
  showSection(stop.dataset.within);
  const target = document.querySelector(stop.dataset.stop);
  target.classList.add("is-toured");
  note ??= newNote();
  note.querySelector("p").textContent = stop.textContent;
  note.querySelector(".tour-count").textContent = `${position + 1} of ${stops().length}`;
  const next = /** @type {HTMLElement} */ (note.querySelector(".is-primary"));
  next.textContent = position + 1 < stops().length ? "Next" : "Done";
  note.showPopover();
  placeWithin(note, target.getBoundingClientRect());
  next.focus();
}

const leave = () => document.querySelectorAll(".is-toured").forEach((element) => element.classList.remove("is-toured"));

function newNote() {
  const node = document.createElement("div");
  Object.assign(node, { className: "tour-note", popover: "manual" });
  node.setAttribute("role", "dialog");
  node.setAttribute("aria-label", "Tour of the page");
  const next = newButton("Next", "button is-primary", () => stopAt(at + 1));
  const end = newButton("Close", "button is-text", () => stopAt(Infinity));
  const foot = document.createElement("div");
  foot.append(span("", "tour-count"), end, next);
  node.append(document.createElement("p"), foot);
  node.addEventListener("keydown", ({ key }) => key === "Escape" && stopAt(Infinity));
  document.body.append(node);
  return node;
}

function newButton(label, className, onClick) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className, textContent: label });
  button.addEventListener("click", onClick);
  return button;
}
