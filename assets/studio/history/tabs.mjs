// The curves of a run, one at a time: the objective along its search, or the divergence of the
// plane on screen by kernel width.

import { isBetweenPlanes, isOfTree } from "../panel/view_options.mjs";

const PARTS = { search: "along-search", gamma: "by-gamma" };
const LEGENDS = {
  search: { best: "best", steps: "each step", "held-out": "held out" },
  gamma: { best: "training", "held-out": "held out" },
  advice: { "held-out": "held-out accuracy", steps: "± 1 standard error" },
  morph: { best: "training", "held-out": "held out" },
};

export class Tabs {
  /**
   * @param {import("../panel/panel.mjs").Panel} panel
   * @param {() => void} onChoice
   */
  constructor(panel, onChoice) {
    this.panel = panel;
    /** @type {string | null} */
    this.chosen = null;
    for (const [name, part] of Object.entries(PARTS)) {
      panel.part(part).onclick = () => {
        this.chosen = name;
        panel.history.measured = null; // another run may have chosen γ since
        onChoice();
      };
    }
    panel.node.addEventListener("panel:look", () => (this.chosen = null));
  }

  /** The curve that is shown: the chosen one, else that of what is set. */
  get name() {
    const { morph, gamma } = this.panel.options;
    const hasSearch = this.panel.node.dataset.has.includes("search");
    if (isBetweenPlanes(this.panel.options) && hasSearch) return "search"; // which need not be drawn again
    if (morph && !isOfTree(this.panel.options)) return "morph";
    if (this.chosen) return this.chosen;
    if (morph) return "gamma";
    return gamma === null && hasSearch ? "search" : "gamma";
  }

  /** Marks the tab of the curve that is shown, and explains its lines. */
  show() {
    const { name, panel } = this;
    if (this.shown === name) return;
    this.shown = name;
    panel.node.dataset.curveShown = name;
    for (const [tab, part] of Object.entries(PARTS)) panel.part(part).setAttribute("aria-pressed", String(tab === name));
    this.explain(name);
  }

  /** @param {string} lines a key of LEGENDS */
  explain(lines) {
    if (this.explained === lines) return;
    this.explained = lines;
    this.panel.part("curve-legend").replaceChildren(...Object.entries(LEGENDS[lines]).map(legendItem));
  }
}

function legendItem([line, text]) {
  const item = document.createElement("li");
  Object.assign(item, { className: `line-${line}`, textContent: text });
  return item;
}
