// How few features suffice, beside the picture: held-out accuracy by the number of features, and the
// features that a number keeps, which one click runs on their own.
import { ID } from "../constants.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { byId, colorScheme, element, rangeInput, span } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { draw } from "../plane/plotly.mjs";
import { Beside } from "./beside.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

/** @type {SparseView | null} */
let view = null;

/** Opens how few features suffice for a run; begins to find out. @param {Panel} panel */
export function showSparse(panel) {
  view ??= new SparseView();
  view.open(panel);
}

class SparseView extends Beside {
  constructor() {
    super(byId(ID.sparse), "sparse");
    this.slider = rangeInput("Number of features", { min: "0", step: "1" });
    this.slider.oninput = () => this.choose(Number(this.slider.value));
    this.part("size").append(this.slider);
    this.part("keep").onclick = () => this.keep().catch((error) => showNotice(sentenceOf(error)));
  }

  forget() {
    super.forget();
    this.isChosen = false;
    this.part("plot").hidden = this.part("choice").hidden = true;
  }

  query() {
    return new URLSearchParams({ scheme: colorScheme() });
  }

  show() {
    const { figure, sizes, sufficient, note } = this.found;
    this.part("note").textContent = note;
    if (!figure) return;
    this.part("plot").hidden = false;
    draw(this.part("plot"), figure.data, figure.layout, {}).catch(console.warn);
    this.part("plot").setAttribute("aria-label", this.found.words);
    this.part("choice").hidden = !sufficient;
    if (!sufficient || this.isChosen) return;
    this.isChosen = true;
    this.slider.max = String(sizes.length - 1);
    this.choose(sizes.findIndex(({ n_features: nFeatures }) => nFeatures === sufficient));
  }

  /** Lists the features of a size. @param {number} at */
  choose(at) {
    const { sizes } = this.found;
    const { words, names, shares, n_features: nFeatures } = sizes[at];
    this.at = at;
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", words);
    this.part("size-words").textContent = words;
    this.part("features").replaceChildren(...names.map((name, i) => element("li", "", element("strong", "", name), span(shares[i]))));
    this.part("more").textContent = nFeatures > names.length ? `The first ${names.length} of ${nFeatures.toLocaleString("en")}.` : "";
    this.part("keep").textContent = `Run on these ${nFeatures.toLocaleString("en")} features`;
    this.part("keep").disabled = at === sizes.length - 1; // all of them are the run itself
  }

  // The same method on the columns of these features, beside this run: as a link to such a run would show it.
  async keep() {
    const { n_features: nFeatures } = this.found.sizes[this.at];
    const { view: wanted } = await ask(`runs/${this.panel.run}/sparse/${nFeatures}`);
    this.close();
    setProps(ID.wanted, { data: { view: wanted, quiet: true } });
  }
}
