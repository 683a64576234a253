// The card on batches: what the server says about them in the picture, the slider that refits the plane
// with another weight of them.
import { hide, setSlider, write } from "../page/dom.mjs";

export class BatchCard {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.slider = panel.part("batch-weight");
    this.slider.addEventListener("input", () => this.change(Number(this.slider.value)));
    panel.node.addEventListener("panel:plane", ({ detail: plane }) => this.follow(plane));
  }

  /** @param {Plane} plane */
  follow({ batches }) {
    const { panel, slider } = this;
    hide(panel.part("batch-card"), !batches);
    if (!batches) return;
    this.own = batches.weight;
    write(panel.part("batch-words"), batches.words);
    hide(panel.part("batch-tools"), !batches.can_act || !panel.isFinal);
    const weight = panel.options.batch_weight ?? batches.weight;
    setSlider(slider, weight, weight ? `batch weight ${weight}` : "0, batches are ignored");
  }

  /** Shows the plane refitted with a weight; that of the run is the plane of the run. @param {number} weight */
  change(weight) {
    this.panel.history.player.pause();
    return this.panel.changeView({ batch_weight: weight === this.own ? null : weight, edits: [] });
  }
}
