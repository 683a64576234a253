// The card beside the row under the pointer: what is known at once, and soon afterwards what the server knows of it.
import { ask } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { element, hide } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { addressOf } from "../panel/view_options.mjs";

const WAIT_MS = 120; // pointers that pass over a row do not ask for it
const GAP_PX = 14;
const MOST_KNOWN = 200;

export class RowCard {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.picture = panel.node.querySelector(".picture");
    this.node = panel.part("row-card");
    /** @type {Map<string, RowDetails>} */
    this.known = new Map();
    panel.node.addEventListener("panel:hover", ({ detail }) => this.show(detail));
    panel.node.addEventListener("panel:plane", () => this.show(null));
    panel.node.addEventListener("panel:calibrated", () => this.known.clear());
  }

  /** @param {{ row: number | null, label: string, at: [number, number] } | null} hovered without a row, something else that is marked */
  show(hovered) {
    clearTimeout(this.timer);
    this.row = hovered?.row ?? null;
    // Nothing covers the picture while it is presented.
    const isHidden = hovered === null || mode.value === "present";
    hide(this.node, isHidden);
    if (isHidden) return;
    const { row, label, at } = hovered;
    const address = row === null ? "" : addressOf(this.panel, `rows/${row}`);
    const known = this.known.get(address);
    if (known) writeMarkup(this.node, known.markup);
    else this.node.replaceChildren(element("strong", "", row === null ? label : `${label}, row ${row}`));
    this.place(at);
    if (address && !known) this.timer = setTimeout(() => this.load(address, hovered).catch(console.warn), WAIT_MS);
  }

  async load(address, { row, at }) {
    const details = await ask(address);
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(address, details);
    if (this.row !== row) return;
    writeMarkup(this.node, details.markup);
    this.place(at);
  }

  // Toward the middle of the picture, so that it is never cut off.
  place([x, y]) {
    const { clientWidth: width, clientHeight: height } = this.picture;
    const { offsetWidth, offsetHeight } = this.node;
    const beside = x < width / 2 ? x + GAP_PX : x - GAP_PX - offsetWidth;
    const left = Math.min(beside, width - offsetWidth - 4);
    const top = Math.min(Math.max(4, y - offsetHeight / 2), height - offsetHeight - 4);
    this.node.style.translate = `${Math.max(4, left)}px ${Math.max(4, top)}px`;
  }
}
