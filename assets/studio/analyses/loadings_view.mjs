// The loadings of the plane on screen, beside the picture: the server draws them.
import { byId, colorScheme } from "../page/dom.mjs";
import { draw } from "../plane/plotly.mjs";
import { Beside } from "./beside.mjs";

const AT_REST_MS = 200; // a plane that stays this long is at rest

export class View extends Beside {
  constructor() {
    super(byId("loadings"), "loadings", ["panel:options", "panel:painted"]);
    this.loaded = ""; // which loadings were requested last
  }

  query() {
    const query = this.panel.query();
    query.set("plane", String(this.panel.plane.sequence));
    query.set("scheme", colorScheme());
    return query;
  }

  show() {
    const { data, layout } = this.found.loadings;
    draw(this.part("plot"), data, layout, { scrollZoom: true }).catch(console.warn);
  }

  look() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.loadChanged().catch(console.warn), AT_REST_MS);
  }

  async load() {
    this.loaded = String(this.query());
    return super.load();
  }

  async loadChanged() {
    if (!this.dialog.open || this.panel.isDisposed) return;
    if (this.loaded !== String(this.query())) await this.load();
  }
}
