// How many more rows, beside the picture: the learning curve with its band, and what more rows would give.
import { draw } from "../plane/plotly.mjs";
import { element } from "../page/dom.mjs";
import { AnalysisView } from "./analysis_view.mjs";

export class View extends AnalysisView {
  constructor() {
    const plot = element("div", "tree-plot");
    plot.setAttribute("role", "img");
    const expectations = element("ul", "");
    const note = element("p", "hint");
    super("more_rows", plot, expectations, note);
    this.parts = { plot, expectations, note };
    plot.hidden = true;
  }

  forget() {
    super.forget();
    this.parts.plot.hidden = true;
    this.parts.expectations.replaceChildren();
  }

  show() {
    const { figure, expectations, note, words } = this.found;
    this.parts.note.textContent = note;
    if (!figure) return;
    this.parts.plot.hidden = false;
    draw(this.parts.plot, figure.data, figure.layout, {}).catch(console.warn);
    this.parts.plot.setAttribute("aria-label", words);
    this.parts.expectations.replaceChildren(...expectations.map((/** @type {string} */ each) => element("li", "", each)));
  }
}
