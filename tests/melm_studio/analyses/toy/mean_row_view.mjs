// How far the rows of each class are from their mean.
import { element } from "../page/dom.mjs";
import { AnalysisView } from "./analysis_view.mjs";

export class View extends AnalysisView {
  constructor() {
    const list = element("ul", "");
    super("mean_row", list);
    this.list = list;
  }

  show() {
    this.list.replaceChildren(...this.found.classes.map(([name, far]) => element("li", "", `${name}: ${far}`)));
  }
}
