// Help: a dialog, a tour of the page that stops at a few elements, and explanations beside elements.
import { byId, onClick } from "./dom.mjs";
import { mode } from "./mode.mjs";
import { showSheet } from "./sheet.mjs";

const DELAY_MS = 350;

let at = 0; // the stop of the tour
/** @type {Element | null} */
let owner = null; // the element whose explanation is shown or due
let timer = 0;

const tooltip = () => byId("tooltip");

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

// Explanations (`data-tip`): shown while the pointer or the focus is on their element, or on the
// field that it labels; a tap shows them too. The page has one tooltip.
export function connectTooltips() {
  document.addEventListener("pointerover", ({ target }) => followPointer(/** @type {Element} */ (target)));
  document.addEventListener("focusin", ({ target }) => followFocus(/** @type {HTMLElement} */ (target)));
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("click", ({ target }) => {
    const element = explainedAt(/** @type {Element} */ (target));
    if (element) show(element);
    else hide();
  });
}

const explainedAt = (element) => element.closest?.("[data-tip]") ?? null;

// The pointer may move onto the tooltip without closing it. In Present it opens none: what is shown
// to a room is not covered in passing.
function followPointer(target) {
  if (mode.value === "present") return;
  const element = explainedAt(target);
  if (element === owner || tooltip().contains(target)) return;
  hide();
  if (element) plan(element);
}

function followFocus(target) {
  if (!target.matches(":focus-visible")) return;
  const labels = /** @type {HTMLInputElement} */ (target).labels ?? [];
  const inLabel = [...labels].map((label) => label.querySelector("[data-tip]")).find(Boolean);
  const element = explainedAt(target) ?? inLabel;
  if (element) plan(element, target);
}

function plan(element, described = null) {
  owner = element;
  clearTimeout(timer);
  timer = window.setTimeout(() => show(element, described), DELAY_MS);
}

/** @param {any} element @param {Element | null} focused what has the focus, if that calls for it */
function show(element, focused = null) {
  hide();
  owner = element;
  const node = tooltip();
  node.textContent = element.dataset.tip;
  // Shown for the focus, it must not cover what the pointer goes to next.
  node.classList.toggle("is-passed", focused !== null);
  node.showPopover({ source: element }); // beside which styles place it
  (focused ?? element).setAttribute("aria-describedby", node.id);
}

function hide() {
  clearTimeout(timer);
  owner = null;
  tooltip().hidePopover();
}
