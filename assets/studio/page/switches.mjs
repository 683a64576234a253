// The switches of the pictures and the drag mode: buttons that stand in several places and agree.
import { MORE_LAYERS, SWITCHES } from "../constants.mjs";
import { onClick, whenPresent } from "./dom.mjs";
import { batch, onChange, signal } from "./signals.mjs";

/** Whether each switch is on, by its name. @type {Record<string, ReturnType<typeof signal<boolean>>>} */
export const switches = Object.fromEntries(
  [...SWITCHES, ...MORE_LAYERS].map((name) => [name, signal(SWITCHES.includes(name))]),
);

/** What dragging in a picture does: pan, lasso or select. */
export const dragMode = signal("pan");

export function connectSwitches() {
  onClick("[data-switch], [data-drag]", ({ dataset: { switch: name, drag } }) => {
    if (name) setSwitches({ [name]: !switches[name].value });
    if (drag) dragMode.set(drag);
  });
  onChange([...Object.values(switches), dragMode], showAll);
  whenPresent("[data-switch], [data-drag]", show);
}

/** The switches that are off, of those which are on at first. */
export const hiddenSwitches = () => SWITCHES.filter((name) => !switches[name].value);

/** The layers that are on. */
export const shownLayers = () => MORE_LAYERS.filter((name) => switches[name].value);

/** Turns switches, by name. @param {Record<string, boolean>} values */
export const setSwitches = (values) =>
  batch(() => Object.entries(values).forEach(([name, isOn]) => switches[name].set(isOn)));

/**
 * Turns on all switches but the hidden ones, and of the layers that are off at first those that are named.
 * @param {string[]} hidden
 * @param {string[]} layers
 */
export function showOnly(hidden, layers) {
  const shown = SWITCHES.map((name) => [name, !hidden.includes(name)]);
  setSwitches(Object.fromEntries([...shown, ...MORE_LAYERS.map((name) => [name, layers.includes(name)])]));
}

function showAll() {
  if (dragMode.value === "pan") delete document.body.dataset.selecting;
  else document.body.dataset.selecting = dragMode.value;
  document.querySelectorAll("[data-switch], [data-drag]").forEach(show);
}

function show(button) {
  const { switch: name, drag } = button.dataset;
  if (name) button.setAttribute("aria-checked", String(switches[name].value));
  else button.setAttribute("aria-pressed", String(dragMode.value === drag));
}
