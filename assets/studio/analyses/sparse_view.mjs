// How few features suffice, beside the picture: held-out accuracy by the number of features, and the
// features that a number keeps, which one click runs on their own.
import { draw } from "../plane/plotly.mjs";
import { ask, sentenceOf } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { button, element, rangeInput, span } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { AnalysisView } from "./analysis_view.mjs";

export class View extends AnalysisView {
  constructor() {
    const plot = element("div", "tree-plot");
    plot.setAttribute("role", "img");
    const size = element("div", "sparse-size");
    const sizeWords = element("p", "sparse-words");
    sizeWords.setAttribute("role", "status");
    const keep = button("button is-light", "Run on these features", () =>
      this.keep().catch((error) => showNotice(sentenceOf(error))));
    const features = element("ol", "sparse-features");
    features.setAttribute("aria-label", "Features kept");
    const more = element("p", "hint");
    const choice = element("div", "sparse-choice", size, sizeWords, element("div", "", keep), features, more);
    const note = element("p", "hint");
    super("sparse", plot, choice, note);
    this.parts = { plot, choice, sizeWords, keep, features, more, note };
    plot.hidden = choice.hidden = true;
    this.slider = rangeInput("Number of features", { min: "0", step: "1" });
    this.slider.oninput = () => this.choose(Number(this.slider.value));
    size.append(this.slider);
  }

  forget() {
    super.forget();
    this.isChosen = false;
    this.parts.plot.hidden = this.parts.choice.hidden = true;
  }

  show() {
    const { figure, sizes, sufficient, note } = this.found;
    this.parts.note.textContent = note;
    if (!figure) return;
    this.parts.plot.hidden = false;
    draw(this.parts.plot, figure.data, figure.layout, {}).catch(console.warn);
    this.parts.plot.setAttribute("aria-label", this.found.words);
    this.parts.choice.hidden = !sufficient;
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
    this.parts.sizeWords.textContent = words;
    this.parts.features.replaceChildren(...names.map((name, i) => element("li", "", element("strong", "", name), span(shares[i]))));
    this.parts.more.textContent = nFeatures > names.length ? `The first ${names.length} of ${nFeatures.toLocaleString("en")}.` : "";
    this.parts.keep.textContent = `Run on these ${nFeatures.toLocaleString("en")} features`;
    this.parts.keep.disabled = at === sizes.length - 1; // all of them are the run itself
  }

  // The same method on the columns of these features, beside this run: as a link to such a run would show it.
  async keep() {
    const { n_features: nFeatures } = this.found.sizes[this.at];
    const { view: wanted } = await ask(`runs/${this.panel.run}/analyses/sparse/${nFeatures}`);
    this.close();
    setProps("wanted", { data: { view: wanted, quiet: true } });
  }
}
