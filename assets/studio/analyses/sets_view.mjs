// Which classes a row may be of, or none, beside the picture: how often sets hold the class of held-out
// rows at a promised coverage that the reader chooses, and whether probabilities hold.
import { draw } from "../plane/plotly.mjs";
import { colorScheme, element } from "../page/dom.mjs";
import { AnalysisView } from "./analysis_view.mjs";

export class View extends AnalysisView {
  constructor() {
    const coverage = element("div", "segments");
    coverage.setAttribute("role", "group");
    coverage.setAttribute("aria-label", "Promised coverage");
    const said = element("p", "sets-said");
    said.setAttribute("role", "status");
    const table = element("table", "sets-classes");
    const lists = element("div", "sets-lists");
    const reliability = element("p", "sets-said");
    const plot = element("div", "tree-plot");
    plot.setAttribute("role", "img");
    const notes = element("div", "sets-notes");
    super("sets", coverage, said, table, lists, notes, reliability, plot);
    this.parts = { coverage, said, table, lists, reliability, plot, notes };
    this.coverage = "";
    plot.hidden = table.hidden = coverage.hidden = true;
  }

  forget() {
    super.forget();
    const { plot, table, coverage, said, lists, notes, reliability } = this.parts;
    plot.hidden = table.hidden = coverage.hidden = true;
    for (const part of [said, lists, notes, reliability]) part.replaceChildren();
  }

  query() {
    return new URLSearchParams({ scheme: colorScheme(), coverage: this.coverage });
  }

  show() {
    const { coverage, choices, said, head, classes, lists, notes, reliability, figure } = this.found;
    const { parts } = this;
    parts.coverage.hidden = parts.table.hidden = !classes.length;
    if (!classes.length) return;
    this.showChoices(choices, coverage);
    if (said !== parts.said.textContent) parts.said.textContent = said;
    parts.said.hidden = this.part("words").textContent.endsWith(said);
    const cells = (kind, texts) => element("tr", "", ...texts.map((text) => element(kind, "", text)));
    parts.table.replaceChildren(element("thead", "", cells("th", head)), element("tbody", "", ...classes.map((row) => cells("td", row))));
    parts.lists.replaceChildren(...lists.map(({ title, rows }) => element("p", "hint", `${title}: rows ${rows}.`)));
    parts.notes.replaceChildren(...notes.map((note) => element("p", "hint", note)));
    parts.reliability.textContent = reliability;
    parts.plot.hidden = !figure;
    if (!figure) return;
    draw(parts.plot, figure.data, figure.layout, {}).catch(console.warn);
    parts.plot.setAttribute("aria-label", reliability);
  }

  /** @param {{value: number, label: string}[]} choices @param {number} coverage */
  showChoices(choices, coverage) {
    const group = this.parts.coverage;
    if (!group.children.length) group.append(...choices.map((choice) => this.choiceButton(choice)));
    [...group.children].forEach((button, i) => button.setAttribute("aria-pressed", String(choices[i].value === coverage)));
  }

  /** @param {{value: number, label: string}} choice */
  choiceButton({ value, label }) {
    const button = element("button", "segment", label);
    Object.assign(button, { type: "button", onclick: () => this.choose(value) });
    return button;
  }

  /** @param {number} value */
  choose(value) {
    this.coverage = String(value);
    this.load().catch(console.warn);
  }
}
