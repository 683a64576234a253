// What is said of the plane on screen, whichever that is: its loadings, the distances of the rows from it, and what it
// costs to keep batches out of it.
import { onChange } from "../page/signals.mjs";
import { selectedRows, selectRows } from "../rows/singled_out.mjs";
import { Analysis as OfRun } from "./analysis.mjs";

const AT_REST_MS = 200; // a plane that stays this long is at rest

export class Analysis extends OfRun {
  /** @param {any} place @param {Panel} panel */
  constructor(place, panel) {
    super(place, panel);
    this.config = { scrollZoom: true };
    this.loaded = ""; // what was asked for last
    for (const event of ["panel:options", "panel:painted"]) panel.node.addEventListener(event, () => this.look());
    this.hasRow = place.dataset.asks === "distances";
    if (this.hasRow) panel.node.addEventListener("panel:removed", onChange(selectedRows, () => this.look()));
  }

  get address() {
    return `runs/${this.panel.run}/planes/${this.panel.plane.sequence}/${this.place.dataset.asks}`;
  }

  query() {
    return new URLSearchParams([...this.panel.query(this.changed()), ...super.query()]);
  }

  // One row that is selected is explained; batches cost the same, whatever they weigh on screen.
  changed() {
    const [row, ...others] = selectedRows.value ?? [];
    if (this.hasRow) return row && !others.length ? { row: String(row) } : {};
    return this.place.dataset.asks === "trade-off" ? { batch_weight: null } : {};
  }

  look() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { place, panel, loaded } = this;
      if (place.open && !panel.isDisposed && loaded !== this.wanted()) this.load().catch(console.warn);
    }, AT_REST_MS);
  }

  wanted() {
    return `${this.address}?${this.query()}`;
  }

  load() {
    this.loaded = this.wanted();
    return super.load();
  }

  // A row that is chosen is selected, too.
  choose(name, value) {
    if (name === "row") selectRows(value ? [Number(value)] : []);
    else super.choose(name, value);
  }

  async drawFigures() {
    await super.drawFigures();
    if (!this.hasRow) return;
    const plot = this.kept("plot");
    plot.removeAllListeners("plotly_click");
    plot.on("plotly_click", ({ points: [{ customdata }] }) => this.choose("row", String(customdata)));
  }
}
