// The panel template: Dash renders an empty place for each panel, and a copy of the template fills it,
// many times faster than Dash would render the parts of every panel.
import { ID } from "../constants.mjs";
import { byId, numberedSlider, span } from "../page/dom.mjs";

/** @type {DocumentFragment} */
let template;

// It is part of the document, outside of what Dash renders.
export function takeTemplate() {
  template = byId(ID.panelModel).content;
}

/**
 * The node of a panel: a copy of the template, adapted to its run.
 * @param {HTMLElement} place that Dash has rendered
 */
export function nodeFor(place) {
  const { place: run, label, ...described } = place.dataset;
  const { title, has, projection } = described;
  const parts = /** @type {DocumentFragment} */ (template.cloneNode(true));
  removeUnneeded(parts, new Set(has.split(" ")));
  for (const slot of elements(parts, "[data-slider]")) slot.replaceChildren(slider(slot.dataset));
  parts.querySelector('[data-part="title"]').textContent = title;
  if (projection) for (const axis of elements(parts, "[data-axis]")) nameAfter(projection, axis);
  for (const link of elements(parts, "[data-file]")) link.href = `runs/${run}/${link.dataset.file}`;
  const node = document.createElement("section");
  node.className = "panel";
  Object.assign(node.dataset, { run, ...described });
  node.setAttribute("aria-label", label);
  node.append(parts);
  return node;
}

/** @returns {any[]} */
const elements = (parts, selector) => [...parts.querySelectorAll(selector)];

// Parts that only other kinds of runs need.
function removeUnneeded(parts, features) {
  for (const part of elements(parts, "[data-needs]")) {
    if (!part.dataset.needs.split(" ").every((need) => features.has(need))) part.remove();
  }
}

// A nonlinear projection has no components: its axes bear its name.
function nameAfter(projection, axis) {
  axis.textContent = axis.textContent.replace("Component", projection);
}

function slider({ slider: name, label, low, high, step, value }) {
  const { slider: input, field } = numberedSlider(label, { min: low, max: high, step, value });
  input.dataset.part = name;
  const node = document.createElement("label");
  node.append(span(label), input);
  const both = document.createElement("div");
  both.className = "numbered";
  both.append(node, field);
  return both;
}
