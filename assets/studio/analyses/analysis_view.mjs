// The dialog of an analysis: a frame that is the same for all, with content of the analysis's own module.
import { byId, colorScheme } from "../page/dom.mjs";
import { Beside } from "./beside.mjs";

export class AnalysisView extends Beside {
  /**
   * @param {string} name of the analysis
   * @param {...Element} content which its module shows what is found in
   */
  constructor(name, ...content) {
    super(byId(`analysis-${name}`), name);
    this.address = `analyses/${name}`;
    this.answered = "run";
    this.part("content").append(...content);
  }

  query() {
    return new URLSearchParams({ scheme: colorScheme() });
  }
}
