// Compare all methods on the data of the page, folded, which follows the comparison while it is open.
import { update } from "../page/dash.mjs";
import { byId, whenPresent } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { shownData } from "../panel/run_list.mjs";
import { Analysis } from "./analysis.mjs";

export function connectRanking() {
  whenPresent("#ranking", () => {
    const ranking = new Ranking(byId("ranking"));
    const look = () => ranking.open().catch(console.warn);
    byId("ranking").ontoggle = look;
    onChange([mode, shownData], look);
  });
}

class Ranking extends Analysis {
  get address() {
    return `rankings/${shownData.value.id}`;
  }

  async open() {
    this.rest();
    if (!this.place.open || mode.value !== "compare" || !shownData.value) return;
    if (await this.load()) await this.follow();
    else this.forget();
  }

  begun() {
    return this.send(this.address, shownData.value);
  }

  // Of other data, which nobody has asked about.
  forget() {
    this.found = null;
    update(this.content, "");
    for (const name of ["progress", "stop"]) this.part(name).hidden = true;
    for (const name of ["words", "stage"]) this.part(name).textContent = "";
    this.part("begin").hidden = false;
  }
}
