// Planes that a user makes of the one that was found, by tools and by dragging in the picture: an arrow is moved
// by its tip, three components are rotated.
import { hasPicture, toData, toPixels } from "../drawing/plotly.mjs";
import { isArrowDrawn } from "../panel/arrow_labels.mjs";
import { addToPanels } from "../panel/features.mjs";
import { state } from "../state.mjs";
import { loadingOf, nearest, originOf, tipsOf } from "./arrows.mjs";
import { Tools } from "./tools.mjs";

/** @typedef {import("../types").Point} Point */

const REACH_PX = 18; // between the pointer and the tip of the arrow that it takes
const TURN_PER_PX = 0.008; // radians

export function addPlaneEditing() {
  addToPanels((panel) => new Pointer(panel, new Tools(panel)));
}

class Pointer {
  /**
   * @param {import("../panel/panel.mjs").Panel} panel
   * @param {Tools} tools
   */
  constructor(panel, tools) {
    this.panel = panel;
    this.tools = tools;
    this.plot = panel.part("plot");
    this.plot.addEventListener("mousemove", (event) => {
      if (!this.drag) this.plot.classList.toggle("can-take", this.arrowNear(event) !== null);
    });
    this.plot.addEventListener("mousedown", (event) => this.press(event), { capture: true });
  }

  // Before plotly receives the event.
  press(event) {
    const drag = event.button === 0 ? this.dragFrom(event) : null;
    if (!drag) return;
    event.stopPropagation();
    event.preventDefault();
    this.follow(drag);
  }

  // What moving the pointer does from here on, if anything.
  dragFrom(event) {
    const { options, plane, nComponents } = this.panel;
    if (state.mode === "compare" || state.drag !== "pan" || !plane) return null;
    const arrow = this.arrowNear(event);
    if (arrow) return (to) => this.moveArrow(arrow, to);
    if (nComponents !== 3 || event.shiftKey) return null;
    const [azimuth, elevation] = options.from ?? [0, 0];
    return (to) => {
      const [right, down] = [to.clientX - event.clientX, to.clientY - event.clientY];
      return this.tools.turnTo(azimuth + TURN_PER_PX * right, elevation + TURN_PER_PX * down);
    };
  }

  follow(drag) {
    this.drag = drag;
    this.plot.classList.add("is-taken");
    const end = () => {
      this.drag = null;
      this.plot.classList.remove("is-taken");
      removeEventListener("mousemove", drag);
    };
    addEventListener("mousemove", drag);
    addEventListener("mouseup", end, { once: true });
  }

  // The arrow whose tip is within reach, as it is before it is moved.
  arrowNear(event) {
    const { plane, figure, arrowLimit } = this.panel;
    if (!this.tools.tool("arrow") || state.mode === "compare" || !state.arrows) return null;
    if (!plane?.arrows.features.length || !hasPicture(this.plot)) return null;
    const tips = tipsOf(figure, plane).slice(0, arrowLimit);
    const i = nearest(tips.map((tip) => toPixels(this.plot, tip)), this.pixels(event), REACH_PX);
    if (i === null || !isArrowDrawn(this.panel, i)) return null;
    const { features, scale } = plane.arrows;
    return { feature: features[i], origin: originOf(figure, plane, i), scale };
  }

  moveArrow({ feature, origin, scale }, event) {
    const tip = toData(this.plot, this.pixels(event));
    this.tools.choose(feature);
    return this.tools.setLoading(feature, loadingOf(tip, origin, scale));
  }

  /** @returns {Point} */
  pixels({ clientX, clientY }) {
    const { left, top } = this.plot.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }
}
