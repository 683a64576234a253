// What is asked of the rows of a second file: begins with the rows that are placed in the plane.
import { ask } from "../page/answers.mjs";
import { onChange } from "../page/signals.mjs";
import { fields } from "../rows/new_rows.mjs";
import { placedFile } from "../rows/singled_out.mjs";
import { Analysis as OfRun } from "./analysis.mjs";

export class Analysis extends OfRun {
  /** @param {any} place @param {Panel} panel */
  constructor(place, panel) {
    super(place, panel);
    this.begunWith = "";
    this.part("choose-file").onclick = () => panel.part("add-rows").click();
    const look = () => place.open && this.isOutdated() && this.compute().catch(console.warn);
    panel.node.addEventListener("panel:removed", onChange(placedFile, look));
  }

  wanted() {
    return new URLSearchParams(placedFile.value ? fields(placedFile.value) : {});
  }

  // The server answers at once where it has judged these rows before.
  isOutdated() {
    return placedFile.value !== null && this.wanted().toString() !== this.begunWith;
  }

  begun() {
    return this.send(`${this.address}?${this.wanted()}`);
  }

  async compute() {
    this.offerFile();
    // Of what says nothing without new rows, the way to them.
    const { run, words } = placedFile.value ? {} : await ask(this.address);
    if (run === null && words) return this.refuse(words);
    this.begunWith = this.wanted().toString();
    return super.compute();
  }

  offerFile() {
    this.part("choose-file").hidden = placedFile.value !== null;
  }

  show() {
    this.offerFile();
    super.show();
  }
}
