// Whether the lot of a second file has changed, beside the picture: compares the rows that are placed in it.
import { ask } from "../page/answers.mjs";
import { onChange } from "../page/signals.mjs";
import { fields } from "../rows/new_rows.mjs";
import { placedFile } from "../rows/singled_out.mjs";
import { View as Beside } from "./beside.mjs";

export class View extends Beside {
  /** @param {string} name of the analysis */
  constructor(name) {
    super(name);
    this.comparedWith = "";
    this.part("choose-file").onclick = () => this.panel.part("add-rows").click();
    onChange(placedFile, () => this.dialog.open && this.isOutdated() && this.compute().catch(console.warn));
  }

  forget() {
    super.forget();
    this.comparedWith = "";
    this.part("choose-file").hidden = placedFile.value !== null;
  }

  wanted() {
    return new URLSearchParams(placedFile.value ? fields(placedFile.value) : {});
  }

  // The server answers at once where it has compared these rows before.
  isOutdated() {
    return placedFile.value !== null && this.wanted().toString() !== this.comparedWith;
  }

  async compute() {
    this.forget();
    if (placedFile.value) {
      this.comparedWith = this.wanted().toString();
      return super.compute();
    }
    for (const part of ["progress", "stop", "begin"]) this.part(part).hidden = true;
    this.part("words").textContent = (await ask(this.address)).words;
    return undefined;
  }

  show() {
    this.part("choose-file").hidden = true;
    super.show();
  }
}
