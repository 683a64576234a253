// The loadings of the plane on screen, beside the picture: the server draws them.
import { View as Beside } from "./beside.mjs";

const AT_REST_MS = 200; // a plane that stays this long is at rest

export class View extends Beside {
  constructor() {
    super("loadings", ["panel:options", "panel:painted"]);
    this.config = { scrollZoom: true };
    this.loaded = ""; // which loadings were asked for last
  }

  query() {
    const plane = String(this.panel.plane.sequence);
    return new URLSearchParams([...this.panel.query(), ...super.query(), ["plane", plane]]);
  }

  look() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { dialog, panel, loaded } = this;
      if (dialog.open && !panel.isDisposed && loaded !== String(this.query())) this.load().catch(console.warn);
    }, AT_REST_MS);
  }

  load() {
    this.loaded = String(this.query());
    return super.load();
  }
}
