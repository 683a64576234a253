// What is asked of the rows of a second file, beside the picture: begins with the rows that are placed in it.
import { ask } from "../page/answers.mjs";
import { onChange } from "../page/signals.mjs";
import { fields } from "../rows/new_rows.mjs";
import { placedFile } from "../rows/singled_out.mjs";
import { View as Beside } from "./beside.mjs";

export class View extends Beside {
  /** @param {string} name of the analysis */
  constructor(name) {
    super(name);
    this.begunWith = "";
    this.part("choose-file").onclick = () => this.panel.part("add-rows").click();
    onChange(placedFile, () => this.dialog.open && this.isOutdated() && this.compute().catch(console.warn));
  }

  forget() {
    super.forget();
    this.begunWith = "";
    this.part("choose-file").hidden = placedFile.value !== null;
  }

  wanted() {
    return new URLSearchParams(placedFile.value ? fields(placedFile.value) : {});
  }

  // The server answers at once where it has judged these rows before.
  isOutdated() {
    return placedFile.value !== null && this.wanted().toString() !== this.begunWith;
  }

  async compute() {
    this.forget();
    // Of what says nothing without new rows, the way to them.
    const { run, words } = placedFile.value ? {} : await ask(this.address);
    if (run === null && words) {
      for (const part of ["progress", "stop", "begin"]) this.part(part).hidden = true;
      this.part("words").textContent = words;
      return undefined;
    }
    this.begunWith = this.wanted().toString();
    return super.compute();
  }

  show() {
    this.part("choose-file").hidden = placedFile.value !== null;
    super.show();
  }
}
