// The arrow of the feature that is pointed at in the list, over the picture.
import { hasPicture, toPixels } from "../drawing/plotly.mjs";
import { originOf } from "../plane_editing/arrows.mjs";

const SVG = "http://www.w3.org/2000/svg";

export class LitArrow {
  /** @param {import("./panel.mjs").Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.feature = null;
    this.node = document.createElementNS(SVG, "svg");
    this.node.setAttribute("class", "lit-arrow");
    this.node.setAttribute("aria-hidden", "true");
    this.line = document.createElementNS(SVG, "line");
    this.head = document.createElementNS(SVG, "path");
    this.head.setAttribute("d", "M0 0L-11 5L-11 -5Z");
    this.name = document.createElementNS(SVG, "text");
    this.node.append(this.line, this.head, this.name);
    panel.node.querySelector(".picture").append(this.node);
  }

  /** @param {{ name: string, x: number, y: number } | null} feature */
  show(feature) {
    this.feature = feature;
    this.place();
  }

  /** Moves the arrow to where its feature points now. */
  place() {
    const { feature, panel } = this;
    const plot = panel.part("plot");
    // A line has a lane for each of its arrows.
    const isShown = feature && panel.plane?.arrows.features.length && panel.nComponents > 1 && hasPicture(plot);
    this.node.toggleAttribute("data-shown", Boolean(isShown));
    if (!isShown) return;
    const origin = originOf(panel.figure, panel.plane, 0);
    const { scale } = panel.plane.arrows;
    const from = toPixels(plot, origin);
    const to = toPixels(plot, [origin[0] + scale * feature.x, origin[1] + scale * feature.y]);
    for (const [key, value] of Object.entries({ x1: from[0], y1: from[1], x2: to[0], y2: to[1] })) {
      this.line.setAttribute(key, String(value));
    }
    const angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
    this.head.setAttribute("transform", `translate(${to[0]} ${to[1]}) rotate(${angle})`);
    const isRight = to[0] >= from[0];
    this.name.setAttribute("x", String(to[0] + (isRight ? 8 : -8)));
    this.name.setAttribute("y", String(to[1] + 4));
    this.name.setAttribute("text-anchor", isRight ? "start" : "end");
    this.name.textContent = feature.name;
  }
}
