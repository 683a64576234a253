// The card on batches: what the server says about them in the picture, the slider that refits the plane
// with another weight of them, and a step away what that costs.
import { ask, sentenceOf } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { element, hide, setSlider, write } from "../page/dom.mjs";
import { addToPanels } from "../panel/features.mjs";

export function addBatchWeight() {
  addToPanels((panel) => {
    const card = new BatchCard(panel);
    panel.node.addEventListener("panel:plane", ({ detail: plane }) => card.follow(plane));
  });
}

class BatchCard {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.slider = panel.part("batch-weight");
    this.details = panel.part("trade-off-details");
    this.slider.addEventListener("input", () => this.change(Number(this.slider.value)));
    this.details.addEventListener("toggle", () => this.showTradeOff());
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

  async showTradeOff() {
    const { panel } = this;
    if (!this.details.open) return;
    const place = panel.part("trade-off");
    const address = `runs/${panel.run}/planes/${panel.plane.sequence}/trade-off?${panel.query({ batch_weight: null })}`;
    if (place.dataset.address === address) return;
    place.dataset.address = address;
    place.replaceChildren(element("p", "hint", "Refitting the plane with several weights"));
    const { markup, refusal } = await ask(address).catch((error) => ({ refusal: sentenceOf(error) }));
    if (place.dataset.address !== address) return;
    if (!refusal) return writeMarkup(place, markup);
    delete place.dataset.address;
    place.replaceChildren(element("p", "hint", refusal));
  }
}
