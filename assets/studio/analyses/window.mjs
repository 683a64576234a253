// The window over the page with what a route answers about a run: its features, a decision surface, distances of rows.
import { sentenceOf } from "../page/answers.mjs";
import { update } from "../page/dash.mjs";
import { byId } from "../page/dom.mjs";
import { clear } from "../plane/plotly.mjs";
import { selectRows } from "../rows/singled_out.mjs";
import { Found } from "./found.mjs";

class Window extends Found {
  constructor() {
    const dialog = byId("found");
    super(dialog, dialog.querySelector('[data-found="content"]'));
    this.config = { scrollZoom: true };
  }

  /** @param {string} address @param {Record<string, string>} [asked] chosen before */
  open(address, asked = {}) {
    Object.assign(this, { address, asked });
    this.dialog.querySelector('[data-found="title"]').textContent = "";
    update(this.content, '<p role="status">Computing…</p>');
    if (!this.dialog.open) this.dialog.showModal();
    return this.load();
  }

  async load() {
    const { address } = this;
    this.content.ariaBusy = "true";
    try {
      return await super.load();
    } catch (error) {
      if (address === this.address) this.refuse(sentenceOf(error));
      return false;
    }
  }

  // The choices stay: another one may be possible.
  refuse(sentence) {
    this.content.ariaBusy = "false";
    this.content.querySelector("[role=status]").textContent = sentence;
    this.content.querySelectorAll("[data-kept]").forEach(clear);
  }

  show() {
    this.content.ariaBusy = "false";
    this.dialog.querySelector('[data-found="title"]').textContent = this.found.title;
    super.show();
  }

  // A row that is chosen is selected, too.
  choose(name, value) {
    if (name === "row" && value) selectRows([Number(value)]);
    super.choose(name, value);
  }

  async drawFigures() {
    await super.drawFigures();
    const plot = this.kept("plot");
    if (!("row" in this.asked)) return;
    plot.removeAllListeners("plotly_click");
    plot.on("plotly_click", ({ points: [{ customdata }] }) => this.choose("row", String(customdata)));
  }
}

/** @type {Window} */
let shown;

/** Opens the window with what a route answers. @param {string} address @param {Record<string, string>} [asked] */
export const openWindow = (address, asked) => (shown ??= new Window()).open(address, asked);
