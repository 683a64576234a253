// Explanations (`data-tip`): shown while the pointer or the focus is on their element, or on the
// field that it labels; a tap shows them too. The page has one tooltip.
import { byId } from "./dom.mjs";
import { mode } from "./mode.mjs";

const DELAY_MS = 350;

const tooltip = () => byId("tooltip");
/** @type {Element | null} */
let owner = null; // the element whose explanation is shown or due
let timer = 0;

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
