// The list of classes beside the table: their order is dragged, or changed by keyboard, and many are found by name.
import { setProps } from "../page/dash.mjs";
import { hide, whenPresent } from "../page/dom.mjs";
import { shownData } from "../panel/run_list.mjs";

/** The class whose button has the focus while the list is made anew. */
let focused = "";

export function connectLegend() {
  whenPresent("#data-summary .legend", (legend) => {
    legend.onpointerdown = (event) => drag(legend, event);
    legend.onkeydown = (event) => step(legend, event);
    legend.onkeyup = ({ key }) => key === "Alt" && apply(legend);
  });
  whenPresent(ITEMS, (item) => {
    if (focused && item.dataset.name === focused) item.querySelector("button").focus();
    find(item);
  });
  whenPresent(SEARCH, (field) => (field.oninput = () => items().forEach(find)));
}

const SEARCH = ".class-search input";
const ITEMS = "#data-summary .legend li";

const items = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(ITEMS)]);

/** Hides a class that is not among those looked for. @param {HTMLElement} item */
function find(item) {
  const wanted = (/** @type {HTMLInputElement} */ (document.querySelector(SEARCH))?.value ?? "").trim().toLowerCase();
  hide(item, !item.dataset.name.toLowerCase().includes(wanted));
}

// The others move past an item, which so keeps the focus and the pointer.
const past = {
  up: (/** @type {HTMLElement} */ item) => item.after(item.previousElementSibling),
  down: (/** @type {HTMLElement} */ item) => item.before(item.nextElementSibling),
};

/** @param {HTMLElement} legend @param {PointerEvent} event */
function drag(legend, event) {
  const grip = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest(".grip"));
  if (!grip || event.button || legend.querySelector("[hidden]")) return;
  const item = grip.parentElement;
  item.classList.add("is-dragged");
  grip.setPointerCapture(event.pointerId);
  grip.onpointermove = ({ clientY }) => moveTo(item, clientY);
  grip.onlostpointercapture = () => {
    item.classList.remove("is-dragged");
    Object.assign(grip, { onpointermove: null, onlostpointercapture: null });
    apply(legend);
  };
}

/** @param {Element} item */
function middleOf(item) {
  const { top, height } = item.getBoundingClientRect();
  return top + height / 2;
}

/** @param {HTMLElement} item @param {number} y of the pointer */
function moveTo(item, y) {
  while (item.previousElementSibling && y <= middleOf(item.previousElementSibling)) past.up(item);
  while (item.nextElementSibling && y >= middleOf(item.nextElementSibling)) past.down(item);
  item.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement} legend @param {KeyboardEvent} event */
function step(legend, event) {
  const item = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest("li"));
  const isUp = event.key === "ArrowUp";
  if (!event.altKey || !item || !(isUp || event.key === "ArrowDown") || legend.querySelector("[hidden]")) return;
  event.preventDefault();
  if (isUp && item.previousElementSibling) past.up(item);
  else if (!isUp && item.nextElementSibling) past.down(item);
  item.scrollIntoView({ block: "nearest" });
}

/** Makes the order in the list that of the classes. @param {HTMLElement} legend */
function apply(legend) {
  const names = items().map(({ dataset }) => dataset.name);
  const codes = [...legend.querySelectorAll("button")].map(({ dataset }) => Number(dataset.class));
  if (codes.every((code, at) => code === at)) return;
  focused = /** @type {HTMLElement} */ (document.activeElement?.closest(ITEMS))?.dataset.name ?? "";
  const { source, label } = shownData.value;
  const answers = { ...source.answers };
  delete answers.order; // there is one order of the classes
  setProps("choice", { data: { ...source, answers, orders: { ...source.orders, [label]: names } } });
}
