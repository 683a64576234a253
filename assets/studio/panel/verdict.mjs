// The strip above a picture: how many held-out rows are told apart, and how many by guessing.
import { addToPanels } from "./features.mjs";

/** @typedef {import("./panel.mjs").Panel} Panel */

export function addVerdict() {
  addToPanels((panel) => {
    panel.node.addEventListener("panel:plane", ({ detail: { numbers } }) => {
      const text = verdictText(numbers, panel.figure?.classes.length);
      panel.part("verdict").replaceChildren(element("strong", text.leads), " ", element("span", text.follows));
    });
  });
}

/**
 * The share of the held-out rows first; that of the training rows where none are held out.
 * @param {Record<string, number | null>} numbers of a plane
 * @param {number | undefined} nClasses
 */
export function verdictText(numbers, nClasses) {
  const { "accuracy-seen": training, "accuracy-unseen": heldOut } = numbers;
  const guessing = nClasses ? `guessing: ${percent(1 / nClasses)}` : "";
  if (heldOut === null) {
    const follows = [guessing, "a class has no held-out row"].filter(Boolean).join(", ");
    return { leads: `${percent(training)} of training rows are told apart`, follows };
  }
  const follows = [guessing, `training rows: ${percent(training)}`].filter(Boolean).join(", ");
  return { leads: `${percent(heldOut)} of held-out rows are told apart`, follows };
}

const percent = (share) => `${Math.round(100 * share)} %`;

function element(name, text) {
  const node = document.createElement(name);
  node.textContent = text;
  return node;
}
