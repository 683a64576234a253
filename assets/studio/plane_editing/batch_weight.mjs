// The card on batches: what the server says about them in the picture, the slider that refits the plane
// with another weight of them, and a step away what that costs.
import { addToPanels } from "../panel/features.mjs";
import { element, hide, span, write } from "../page/dom.mjs";
import { SIZE, tradeOffLines, tradeOffWords } from "./trade_off_chart.mjs";

/** @typedef {import("../panel/panel.mjs").Panel} Panel */

const SVG = "http://www.w3.org/2000/svg";

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

  /** @param {import("../types").Plane} plane */
  follow({ batches }) {
    const { panel, slider } = this;
    hide(panel.part("batch-card"), !batches);
    if (!batches) return;
    this.own = batches.weight;
    write(panel.part("batch-words"), batches.words);
    hide(panel.part("batch-tools"), !batches.can_act || !panel.isFinal);
    const weight = panel.options.batch ?? batches.weight;
    if (document.activeElement !== slider) slider.value = String(weight);
    slider.setAttribute("aria-valuetext", weight ? `batch weight ${weight}` : "0, batches are ignored");
  }

  /** Shows the plane refitted with a weight; that of the run is the plane of the run. @param {number} weight */
  change(weight) {
    this.panel.history.player.pause();
    return this.panel.changeView({ batch: weight === this.own ? null : weight, moves: [] });
  }

  async showTradeOff() {
    const { panel } = this;
    if (!this.details.open) return;
    const place = panel.part("trade-off");
    const address = `runs/${panel.run}/planes/${panel.plane.sequence}/trade-off?${panel.query({ batch: null })}`;
    if (place.dataset.address === address) return;
    place.dataset.address = address;
    place.replaceChildren(element("p", "hint", "Refitting the plane with several weights"));
    const answer = await fetch(address).catch(() => null);
    if (place.dataset.address !== address) return;
    if (!answer?.ok) {
      delete place.dataset.address;
      place.replaceChildren(element("p", "hint", "The server did not answer. Close and open this again."));
      return;
    }
    const { points, chance } = await answer.json();
    place.replaceChildren(...chart(points, chance));
  }
}

/** The chart, its legend and its sentence. */
function chart(points, chance) {
  const words = tradeOffWords(points);
  const lines = tradeOffLines(points, chance);
  const svg = shape("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img" });
  svg.setAttribute("aria-label", words);
  for (const d of lines.guesses) svg.append(shape("path", { d, class: "guess" }));
  svg.append(shape("path", { d: lines.classes, class: "classes" }), shape("path", { d: lines.batches, class: "batches" }));
  for (const { x, text } of lines.ticks) svg.append(label(x, SIZE.height - 8, "middle", text));
  for (const { y, text } of lines.ends) svg.append(label(SIZE.left - 4, y + 4, "end", text));
  const legend = document.createElement("p");
  legend.className = "trade-off-legend";
  legend.append(span("classes"), span("batches"), span("guessing"));
  return [svg, legend, element("p", "hint", words)];
}

function label(x, y, anchor, text) {
  const node = shape("text", { x, y, "text-anchor": anchor });
  node.textContent = text;
  return node;
}

function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}
