// Planes that a user makes of the one that was found, by tools and by dragging in the picture: an arrow is moved
// by its tip, three components are rotated.
import { write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { dragMode, switches } from "../page/switches.mjs";
import { loadingOf, nearest, originOf, tipsOf } from "../plane/arrows.mjs";
import { drawnAxes, toData, toPixels } from "../plane/pixel_axes.mjs";
import { isArrowDrawn } from "./arrow_labels.mjs";
import { addToPanels } from "./features.mjs";
import { withEdit } from "./view_options.mjs";

const REACH_PX = 18; // between the pointer and the tip of the arrow that it takes
const TURN_PER_PX = 0.008; // radians

export function addPlaneEditing() {
  addToPanels((panel) => new Pointer(panel, new Tools(panel)));
}

class Pointer {
  /**
   * @param {Panel} panel
   * @param {Tools} tools
   */
  constructor(panel, tools) {
    this.panel = panel;
    this.tools = tools;
    this.plot = panel.part("plot");
    panel.node.addEventListener("panel:point", ({ detail }) => {
      this.plot.classList.toggle("can-take", detail !== null && this.arrowNear(detail) !== null);
    });
    panel.painting.takers.push((place, event) => this.dragFrom(place, event));
  }

  // What moving the pointer does from here on, if anything.
  /** @param {Point} place in pixels @param {PointerEvent} event @returns {import("../plane/looking_around.mjs").Drag | null} */
  dragFrom(place, { shiftKey }) {
    const { options, plane, nComponents } = this.panel;
    if (mode.value === "compare" || dragMode.value !== "pan" || !plane) return null;
    const arrow = this.arrowNear(place);
    if (arrow) return { move: (to) => this.moveArrow(arrow, to) };
    if (nComponents !== 3 || shiftKey) return null;
    const [azimuth, elevation] = options.view_angle ?? [0, 0];
    const [x, y] = place;
    return { move: (to) => this.tools.turnTo(azimuth + TURN_PER_PX * (to[0] - x), elevation + TURN_PER_PX * (to[1] - y)) };
  }

  // The arrow whose tip is within reach, as it is before it is moved.
  /** @param {Point} place */
  arrowNear(place) {
    const { plane, figure, arrowLimit } = this.panel;
    if (!this.tools.tool("arrow") || mode.value === "compare" || !switches.arrows.value) return null;
    if (!plane?.arrows.features.length || !drawnAxes(this.plot)) return null;
    const tips = tipsOf(figure, plane).slice(0, arrowLimit);
    const i = nearest(tips.map((tip) => toPixels(this.plot, tip)), place, REACH_PX);
    if (i === null || !isArrowDrawn(this.panel, i)) return null;
    const { features, scale } = plane.arrows;
    return { feature: features[i], origin: originOf(figure, plane, i), scale };
  }

  moveArrow({ feature, origin, scale }, place) {
    this.tools.choose(feature);
    return this.tools.setLoading(feature, loadingOf(toData(this.plot, place), origin, scale));
  }
}

// The tools beside a picture: how many arrows are shown, how many features are kept, the loading of
// one feature, and the view angle of three components.

const MOST_KEPT = 20; // each number is a refit

export class Tools {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    if (this.tool("arrow-limit")) this.connectArrowLimit();
    if (this.tool("top-features")) this.connectTopFeatures();
    if (this.tool("arrow")) this.connectArrow();
    if (panel.nComponents === 3) this.connectAngles();
    this.popover = panel.part("tools"); // of the arrows
    this.popover.addEventListener("beforetoggle", ({ newState }) => newState === "open" && panel.plane && this.showArrows());
    panel.node.addEventListener("panel:plane", ({ detail: plane }) => this.follow(plane));
  }

  tool(name) {
    return this.panel.part(name);
  }

  // The tools show what the plane is, whatever changed it.
  follow(plane) {
    if (this.tool("top-features")) this.followTopFeatures(plane);
    if (this.popover.matches(":popover-open")) this.showArrows(); // else once it is opened
  }

  showArrows() {
    const { plane } = this.panel;
    if (this.tool("arrow-limit")) this.followArrowLimit(plane);
    if (this.tool("arrow")) this.followArrows(plane);
  }

  // The strongest arrows are shown.
  connectArrowLimit() {
    const slider = this.tool("arrow-limit");
    slider.addEventListener("input", () => {
      this.panel.arrowLimit = slider.value === slider.max ? Infinity : Number(slider.value);
      this.panel.paint(true);
    });
  }

  followArrowLimit({ arrows: { features } }) {
    const slider = this.tool("arrow-limit");
    slider.max = features.length;
    slider.value = Math.min(this.panel.arrowLimit, features.length);
  }

  // The slider ends at all features, one step beyond the most that can be kept.
  connectTopFeatures() {
    const slider = this.tool("top-features");
    slider.addEventListener("input", () => {
      const isAll = slider.value === slider.max;
      this.panel.changeView({ n_top_features: isAll ? null : Number(slider.value), edits: [] });
    });
  }

  followTopFeatures({ arrows, top_features: words }) {
    const slider = this.tool("top-features");
    const { nComponents, options } = this.panel;
    slider.min = nComponents;
    slider.max = Math.max(nComponents, Math.min(MOST_KEPT, arrows.of - 1)) + 1;
    slider.dataset.end = arrows.of;
    if (document.activeElement !== slider) slider.value = options.n_top_features ?? slider.max;
    write(this.tool("top-features-words"), words ?? "All features.");
    slider.setAttribute("aria-valuetext", options.n_top_features === null ? "all features" : `${options.n_top_features} features`);
  }

  // The arrow that is chosen by name is rotated by its angle and stretched by its length.
  connectArrow() {
    const select = this.tool("arrow");
    select.addEventListener("change", () => this.showArrow());
    for (const name of ["angle", "length"]) {
      this.tool(name).addEventListener("input", () => {
        const angle = Number(this.tool("angle").value) / DEGREES;
        const length = Number(this.tool("length").value) / 100;
        this.setLoading(Number(select.value), [length * Math.cos(angle), length * Math.sin(angle)]);
      });
    }
  }

  followArrows({ arrows: { features, names } }) {
    const select = this.tool("arrow");
    const listed = features.join();
    if (select.dataset.features !== listed && document.activeElement !== select) {
      const chosen = select.value;
      select.dataset.features = listed;
      select.replaceChildren(...features.map((feature, i) => new Option(names[i], feature)));
      if (chosen && features.includes(Number(chosen))) select.value = chosen;
    }
    this.showArrow();
  }

  showArrow() {
    const [x, y] = this.loading(Number(this.tool("arrow").value)) ?? [0, 0];
    const angle = Math.round(Math.atan2(y, x) * DEGREES);
    const length = Math.hypot(x, y);
    this.setSlider("angle", angle, `${angle} degrees`);
    this.setSlider("length", Math.round(100 * length), `loading ${length.toFixed(2)}`);
  }

  // A slider that is being moved is left alone.
  setSlider(name, value, text) {
    const slider = this.tool(name);
    if (document.activeElement !== slider) slider.value = value;
    slider.setAttribute("aria-valuetext", text);
  }

  // The loadings of a feature in the plane on screen.
  loading(feature) {
    const { figure, plane } = this.panel;
    const i = plane.arrows.features.indexOf(feature);
    if (i < 0) return null;
    return loadingOf(tipsOf(figure, plane)[i], originOf(figure, plane, i), plane.arrows.scale);
  }

  /** Shows the plane in which a feature has this loading. @param {number} feature @param {Point} loading */
  setLoading(feature, [x, y]) {
    const { history, options } = this.panel;
    history.player.pause();
    const edits = withEdit(options.edits, [feature, rounded(x), rounded(y)]);
    return this.panel.changeView({ edits });
  }

  /** Chooses an arrow by its feature, if it is in the list. @param {number} feature */
  choose(feature) {
    const select = this.tool("arrow");
    this.followArrows(this.panel.plane);
    if ([...select.options].some(({ value }) => Number(value) === feature)) select.value = feature;
  }

  connectAngles() {
    for (const name of ["side", "up"]) {
      this.tool(name).addEventListener("input", () => {
        this.turnTo(Number(this.tool("side").value) / DEGREES, Number(this.tool("up").value) / DEGREES);
      });
    }
    this.panel.node.addEventListener("panel:options", ({ detail: { view_angle: turned } }) => {
      const angles = (turned ?? [0, 0]).map((angle) => Math.round(angle * DEGREES));
      for (const [i, name] of ["side", "up"].entries()) {
        this.tool(name).value = angles[i];
        this.tool(name).setAttribute("aria-valuetext", `${angles[i]} degrees`);
      }
    });
  }

  /** Views three components from another angle. @param {number} azimuth @param {number} elevation in radians */
  turnTo(azimuth, elevation) {
    return this.panel.changeView({ view_angle: [rounded(wrapped(azimuth)), rounded(wrapped(elevation))] });
  }
}

// Angles of tools and views.

const DEGREES = 180 / Math.PI;

/** An angle in radians, brought into [-π, π). @param {number} angle */
export const wrapped = (angle) => ((((angle + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI;

/** A number as it is sent in a query, to four decimals. @param {number} value */
export const rounded = (value) => Number(value.toFixed(4));
