// The dialog of an analysis that shows what its answer says, block by block (melm_studio/analyses/content.py).
import { colorScheme, element, write } from "../page/dom.mjs";
import { draw } from "../plane/plotly.mjs";
import { AnalysisView } from "./analysis_view.mjs";

const each = (name, className, texts) => texts.map((text) => element(name, className, text));
const cells = (name, texts) => element("tr", "", ...each(name, "", texts));

/** The elements of each kind of block. @type {Record<string, (block: any, view: View) => Element>} */
const KINDS = {
  words: ({ text }) => element("p", "found-words", text),
  notes: ({ texts }) => element("div", "found-notes", ...each("p", "hint", texts)),
  items: ({ texts }) => element("ul", "", ...each("li", "", texts)),
  table: ({ head, rows }) => {
    const body = element("tbody", "", ...rows.map((row) => cells("td", row)));
    return element("table", "found-table", element("thead", "", cells("th", head)), body);
  },
  choice: ({ name, label, labels, chosen }) => {
    const group = element("div", "segments", ...each("button", "segment", Object.values(labels)));
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", label);
    for (const [i, value] of Object.keys(labels).entries()) {
      const button = /** @type {HTMLElement} */ (group.children[i]);
      Object.assign(button.dataset, { choice: name, value });
      button.setAttribute("aria-pressed", String(value === chosen));
    }
    return group;
  },
  answer: ({ text }, { answer }) => {
    write(answer, text);
    return answer;
  },
  plot: ({ description }, { plot }) => {
    plot.setAttribute("aria-label", description);
    return plot;
  },
};

export class View extends AnalysisView {
  /** @param {string} name of the analysis */
  constructor(name) {
    super(name);
    this.asked = {}; // of the choices, by name
    // These stay while what is in them changes: one is read out, in the other a figure is drawn.
    this.answer = element("p", "found-words");
    this.answer.setAttribute("role", "status");
    this.plot = element("div", "tree-plot");
    this.plot.setAttribute("role", "img");
    this.part("content").onclick = ({ target: { dataset } }) => dataset.choice && this.choose(dataset.choice, dataset.value);
  }

  query() {
    return new URLSearchParams({ scheme: colorScheme(), ...this.asked });
  }

  forget() {
    super.forget();
    this.part("content").replaceChildren();
  }

  async choose(choice, value) {
    this.asked[choice] = value;
    await this.load().catch(console.warn);
    this.part("content").querySelector(`[data-choice="${choice}"][aria-pressed="true"]`)?.focus();
  }

  show() {
    const { content } = this.found;
    this.part("content").replaceChildren(...content.map((block) => KINDS[block.kind](block, this)));
    const figure = content.find(({ kind }) => kind === "plot")?.figure;
    if (figure) draw(this.plot, figure.data, figure.layout, {}).catch(console.warn);
  }
}
