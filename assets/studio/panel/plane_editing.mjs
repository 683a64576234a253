// Planes that a user makes of the one that was found, by tools and by dragging in the picture: an arrow is moved
// by its tip, three components are rotated, batches are given another weight.
import { hide, setSlider, write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { dragMode, switches } from "../page/switches.mjs";
import { loadingOf, nearest, originOf, tipsOf } from "../plane/arrows.mjs";
import { drawnAxes, toData, toPixels } from "../plane/pixel_axes.mjs";
import { withEdit } from "./view_options.mjs";

const REACH_PX = 18; // between the pointer and the tip of the arrow that it takes
const TURN_PER_PX = 0.008; // radians
const MOST_KEPT = 20; // features; each number is a refit

export class PlaneEditing {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.plot = panel.part("plot");
    panel.node.addEventListener("panel:point", ({ detail }) => {
      this.plot.classList.toggle("can-take", detail !== null && this.arrowNear(detail) !== null);
    });
    panel.painting.takers.push((place, event) => this.dragFrom(place, event));
    this.onInput(["arrow-limit"], ({ value, max }) => {
      panel.arrowLimit = value === max ? Infinity : Number(value); // the strongest are shown
      panel.paint(true);
    });
    // The slider ends at all features, one step beyond the most that can be kept.
    this.onInput(["top-features"], ({ value, max }) => {
      panel.changeView({ n_top_features: value === max ? null : Number(value), edits: [] });
    });
    // The arrow that is chosen by name is rotated by its angle and stretched by its length.
    this.onInput(["angle", "length"], () => {
      const [angle, length] = [this.number("angle") / DEGREES, this.number("length") / 100];
      this.setLoading(this.number("arrow"), [length * Math.cos(angle), length * Math.sin(angle)]);
    });
    this.onInput(["side", "up"], () => this.turnTo(this.number("side") / DEGREES, this.number("up") / DEGREES));
    // The weight of batches that the run has is the plane of the run.
    this.onInput(["batch-weight"], ({ valueAsNumber: weight }) => {
      panel.history.player.pause();
      panel.changeView({ batch_weight: weight === panel.plane.batches.weight ? null : weight, edits: [] });
    });
    this.tool("arrow")?.addEventListener("change", () => this.showArrow());
    this.popover = panel.part("tools"); // of the arrows
    this.popover.addEventListener("beforetoggle", ({ newState }) => newState === "open" && panel.plane && this.showArrows());
    panel.node.addEventListener("panel:plane", ({ detail: plane }) => this.follow(plane));
    if (this.tool("side")) panel.node.addEventListener("panel:options", () => this.showAngles());
  }

  /** @param {string[]} names of sliders, of which a run may have none @param {(slider: HTMLInputElement) => void} act */
  onInput(names, act) {
    for (const name of names) this.tool(name)?.addEventListener("input", ({ target }) => act(target));
  }

  tool(name) {
    return this.panel.part(name);
  }

  number(name) {
    return Number(this.tool(name).value);
  }

  // The tools show what the plane is, whatever changed it.
  follow(plane) {
    if (this.tool("top-features")) this.showTopFeatures(plane);
    if (this.popover.matches(":popover-open")) this.showArrows(); // else once it is opened
    this.showBatches(plane);
  }

  // The card on batches: what the server says about them in the picture, and their weight.
  /** @param {Plane} plane */
  showBatches({ batches }) {
    hide(this.tool("batch-card"), !batches);
    if (!batches) return;
    write(this.tool("batch-words"), batches.words);
    hide(this.tool("batch-tools"), !batches.can_act || !this.panel.isFinal);
    const weight = this.panel.options.batch_weight ?? batches.weight;
    setSlider(this.tool("batch-weight"), weight, weight ? `batch weight ${weight}` : "0, batches are ignored");
  }

  showArrows() {
    const { plane, arrowLimit } = this.panel;
    const [limit, most] = [this.tool("arrow-limit"), plane.arrows.features.length];
    if (limit) limit.max = most;
    if (limit) setSlider(limit, Math.min(arrowLimit, most), `${Math.min(arrowLimit, most)} arrows`);
    if (this.tool("arrow")) this.listArrows(plane);
  }

  showTopFeatures({ arrows, top_features: words }) {
    const slider = this.tool("top-features");
    const { nComponents, options } = this.panel;
    const { n_top_features: nTop } = options;
    slider.min = nComponents;
    slider.max = Math.max(nComponents, Math.min(MOST_KEPT, arrows.of - 1)) + 1;
    slider.dataset.end = arrows.of;
    setSlider(slider, nTop ?? slider.max, nTop === null ? "all features" : `${nTop} features`);
    write(this.tool("top-features-words"), words ?? "");
  }

  listArrows({ arrows: { features, names } }) {
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
    const [x, y] = this.loading(this.number("arrow")) ?? [0, 0];
    const angle = Math.round(Math.atan2(y, x) * DEGREES);
    const length = Math.hypot(x, y);
    this.showOn("angle", angle, `${angle} degrees`);
    this.showOn("length", Math.round(100 * length), `loading ${length.toFixed(2)}`);
  }

  // A slider that is being moved is ahead of the plane on screen.
  showOn(name, value, words) {
    const slider = this.tool(name);
    setSlider(slider, slider === document.activeElement ? slider.value : value, words);
  }

  showAngles() {
    for (const [i, name] of ["side", "up"].entries()) {
      const angle = Math.round((this.panel.options.view_angle?.[i] ?? 0) * DEGREES);
      setSlider(this.tool(name), angle, `${angle} degrees`);
    }
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
    this.panel.history.player.pause();
    const edits = withEdit(this.panel.options.edits, [feature, rounded(x), rounded(y)]);
    return this.panel.changeView({ edits });
  }

  /** Chooses an arrow by its feature, if it is in the list. @param {number} feature */
  choose(feature) {
    const select = this.tool("arrow");
    this.listArrows(this.panel.plane);
    if ([...select.options].some(({ value }) => Number(value) === feature)) select.value = feature;
  }

  /** Views three components from another angle. @param {number} azimuth @param {number} elevation in radians */
  turnTo(azimuth, elevation) {
    return this.panel.changeView({ view_angle: [rounded(wrapped(azimuth)), rounded(wrapped(elevation))] });
  }

  // What moving the pointer does from here on, if anything.
  /** @param {Point} place in pixels @param {PointerEvent} event @returns {Drag | null} */
  dragFrom(place, { shiftKey }) {
    const { options, plane, nComponents } = this.panel;
    if (mode.value === "compare" || dragMode.value !== "pan" || !plane) return null;
    const arrow = this.arrowNear(place);
    if (arrow) return { move: (to) => this.moveArrow(arrow, to) };
    if (nComponents !== 3 || shiftKey) return null;
    const [azimuth, elevation] = options.view_angle ?? [0, 0];
    const [x, y] = place;
    return { move: (to) => this.turnTo(azimuth + TURN_PER_PX * (to[0] - x), elevation + TURN_PER_PX * (to[1] - y)) };
  }

  // The arrow whose tip is within reach, as it is before it is moved.
  /** @param {Point} place */
  arrowNear(place) {
    const { plane, figure, arrowLimit } = this.panel;
    if (!this.tool("arrow") || mode.value === "compare" || !switches.arrows.value) return null;
    if (!plane?.arrows.features.length || !drawnAxes(this.plot)) return null;
    const tips = tipsOf(figure, plane).slice(0, arrowLimit);
    const i = nearest(tips.map((tip) => toPixels(this.plot, tip)), place, REACH_PX);
    if (i === null || !this.panel.painting.names?.isDrawn(i)) return null;
    const { features, scale } = plane.arrows;
    return { feature: features[i], origin: originOf(figure, plane, i), scale };
  }

  moveArrow({ feature, origin, scale }, place) {
    this.choose(feature);
    return this.setLoading(feature, loadingOf(toData(this.plot, place), origin, scale));
  }
}

// Angles of tools and views.

const DEGREES = 180 / Math.PI;

/** An angle in radians, brought into [-π, π). @param {number} angle */
export const wrapped = (angle) => ((((angle + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI;

/** A number as it is sent in a query, to four decimals. @param {number} value */
export const rounded = (value) => Number(value.toFixed(4));
