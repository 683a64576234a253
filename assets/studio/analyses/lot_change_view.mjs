// Whether the lot of a second file has changed, beside the picture: the features that differ, and the plane in
// which the lots differ most.
import { ask } from "../page/answers.mjs";
import { draw } from "../plane/plotly.mjs";
import { element } from "../page/dom.mjs";
import { onChange } from "../page/signals.mjs";
import { fields } from "../rows/new_rows.mjs";
import { placedFile } from "../rows/new_rows_buttons.mjs";
import { AnalysisView } from "./analysis_view.mjs";

export class View extends AnalysisView {
  constructor() {
    const choose = element("button", "button", "New rows from a file…");
    Object.assign(choose, { type: "button", onclick: () => this.panel.part("add-rows").click() });
    const verdict = element("p", "sets-said");
    const plot = element("div", "tree-plot");
    plot.setAttribute("role", "img");
    const picture = element("p", "hint");
    const table = element("table", "sets-classes");
    const notes = element("div", "sets-notes");
    super("lot_change", choose, verdict, plot, picture, table, notes);
    this.parts = { choose, verdict, plot, picture, table, notes };
    this.comparedWith = "";
    onChange(placedFile, () => this.dialog.open && this.isOutdated() && this.begin().catch(console.warn));
    this.clear();
  }

  forget() {
    super.forget();
    this.comparedWith = "";
    this.clear();
  }

  clear() {
    const { choose, verdict, plot, picture, table, notes } = this.parts;
    choose.hidden = placedFile.value !== null;
    plot.hidden = table.hidden = true;
    for (const part of [verdict, picture, table, notes]) part.replaceChildren();
  }

  wanted() {
    return new URLSearchParams(placedFile.value ? fields(placedFile.value) : {});
  }

  // The server answers at once where it has compared these rows before.
  isOutdated() {
    return placedFile.value !== null && this.wanted().toString() !== this.comparedWith;
  }

  async begin() {
    this.clear();
    if (!placedFile.value) {
      for (const part of ["progress", "stop", "begin"]) this.part(part).hidden = true;
      this.part("words").textContent = (await ask(`runs/${this.panel.run}/${this.address}`)).words;
      return;
    }
    this.comparedWith = this.wanted().toString();
    await super.begin();
  }

  show() {
    const { verdict, head, features, notes, picture, figure, name } = this.found;
    const { parts } = this;
    parts.choose.hidden = true;
    parts.verdict.textContent = verdict;
    const cells = (kind, texts) => element("tr", "", ...texts.map((text) => element(kind, "", text)));
    parts.table.hidden = !features.length;
    parts.table.replaceChildren(element("thead", "", cells("th", head)), element("tbody", "", ...features.map((row) => cells("td", row))));
    parts.notes.replaceChildren(...notes.map((note) => element("p", "hint", note)));
    parts.picture.textContent = picture;
    parts.plot.hidden = !figure;
    if (!figure) return;
    draw(parts.plot, figure.data, figure.layout, {}).catch(console.warn);
    parts.plot.setAttribute("aria-label", `${name}: ${this.part("words").textContent}`);
  }
}
