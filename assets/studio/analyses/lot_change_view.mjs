// Whether the lot of a second file has changed, beside the picture: compares the rows that are placed in it.
import { ask } from "../page/answers.mjs";
import { button } from "../page/dom.mjs";
import { onChange } from "../page/signals.mjs";
import { fields } from "../rows/new_rows.mjs";
import { placedFile } from "../rows/new_rows_buttons.mjs";
import { View as FoundView } from "./found_view.mjs";

export class View extends FoundView {
  /** @param {string} name of the analysis */
  constructor(name) {
    super(name);
    this.chooseFile = button("button", "New rows from a file…", () => this.panel.part("add-rows").click());
    this.part("content").before(this.chooseFile);
    this.comparedWith = "";
    onChange(placedFile, () => this.dialog.open && this.isOutdated() && this.begin().catch(console.warn));
    this.forget();
  }

  forget() {
    super.forget();
    this.comparedWith = "";
    this.chooseFile.hidden = placedFile.value !== null;
  }

  wanted() {
    return new URLSearchParams(placedFile.value ? fields(placedFile.value) : {});
  }

  // The server answers at once where it has compared these rows before.
  isOutdated() {
    return placedFile.value !== null && this.wanted().toString() !== this.comparedWith;
  }

  async begin() {
    this.forget();
    if (!placedFile.value) {
      for (const part of ["progress", "stop", "begin"]) this.part(part).hidden = true;
      this.part("words").textContent = (await ask(`runs/${this.panel.run}/${this.address}`)).words;
      return;
    }
    this.comparedWith = this.wanted().toString();
    await super.begin();
  }

  show() {
    this.chooseFile.hidden = true;
    super.show();
  }
}
