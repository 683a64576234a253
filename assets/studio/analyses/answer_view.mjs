// What a route answers at once, beside the picture: the densities of a feature, a decision surface, the distances of
// rows, what the components of PLS-DA explain.
import { sentenceOf } from "../page/answers.mjs";
import { clear } from "../plane/plotly.mjs";
import { selectRows } from "../rows/singled_out.mjs";
import { View as Beside } from "./beside.mjs";

export class View extends Beside {
  constructor() {
    super("answer", []);
    this.config = { scrollZoom: true };
  }

  // Anew even of the same address: other rows may be selected now.
  open(panel, address, asked) {
    this.address = "";
    super.open(panel, address, asked);
  }

  forget() {
    super.forget();
    this.part("title").textContent = "";
    this.part("words").textContent = "Computing…";
  }

  async load() {
    const { address } = this;
    this.content.ariaBusy = "true";
    try {
      return await super.load();
    } catch (error) {
      if (address === this.address) this.refuse(sentenceOf(error));
      return true; // and nothing is to be begun
    }
  }

  // The choices stay: another one may be possible.
  refuse(sentence) {
    this.content.ariaBusy = "false";
    this.part("words").textContent = sentence;
    this.content.querySelectorAll("[data-kept]").forEach(clear);
  }

  show() {
    this.content.ariaBusy = "false";
    this.part("title").textContent = this.found.title;
    super.show();
  }

  // A row that is chosen is selected, too.
  choose(name, value) {
    if (name === "row" && value) selectRows([Number(value)]);
    super.choose(name, value);
  }

  async drawFigures() {
    await super.drawFigures();
    const plot = this.kept("plot");
    if (!("row" in this.asked)) return;
    plot.removeAllListeners("plotly_click");
    plot.on("plotly_click", ({ points: [{ customdata }] }) => this.choose("row", String(customdata)));
  }
}
