// Switches of the page's state and the drag mode: buttons that stand in several places and agree.
import { MORE_LAYERS, SWITCHES } from "../constants.mjs";
import { announce, onChange, state, update } from "../state.mjs";
import { whenPresent } from "./dom.mjs";

export function connectSwitches() {
  document.addEventListener("click", ({ target }) => {
    /** @type {HTMLElement | null} */
    const button = /** @type {Element} */ (target).closest?.("[data-switch], [data-drag]");
    const { switch: name, drag } = button?.dataset ?? {};
    if (name) setSwitches({ [name]: !state[name] });
    if (drag) update({ drag }, "view");
  });
  onChange("view", showAll);
  whenPresent("[data-switch], [data-drag]", show);
}

/** Turns switches, by name. @param {Record<string, boolean>} values */
export function setSwitches(values) {
  const isRealigned = "aligned" in values && values.aligned !== state.aligned;
  update(values);
  if (isRealigned) announce("aligned");
  announce("view");
}

/**
 * Turns on all switches but the hidden ones, and of the layers that are off at first those that are named.
 * @param {string[]} hidden
 * @param {string[]} layers
 */
export function showOnly(hidden, layers) {
  const switches = SWITCHES.map((name) => [name, !hidden.includes(name)]);
  setSwitches(Object.fromEntries([...switches, ...MORE_LAYERS.map((name) => [name, layers.includes(name)])]));
}

const showAll = () => document.querySelectorAll("[data-switch], [data-drag]").forEach(show);

function show(button) {
  const { switch: name, drag } = button.dataset;
  if (name) button.setAttribute("aria-checked", String(state[name]));
  else button.setAttribute("aria-pressed", String(state.drag === drag));
}
