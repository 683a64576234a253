// A picture of a replay: the painter with what a reader looks around by.
import { PLANE_TRACE } from "../../constants.mjs";
import { button, element, hide } from "../../page/dom.mjs";
import { decodedPlane, fromBase64, unpacked } from "../../plane/arrays.mjs";
import { lookAround } from "../../plane/looking_around.mjs";
import { Painter } from "../../plane/painter.mjs";
import { watchSize } from "../../plane/pixel_axes.mjs";

/**
 * What all pictures of a file have in common; the figures are by scheme.
 * @typedef {object} Scene
 * @property {string[]} names of the classes
 * @property {Record<string, { data: Trace[], layout: any }>} figures
 * @property {Record<string, string>} surfaces
 * @property {[string, string]} titles of planes that do not say how much of the variance is on their axes
 * @property {string[]} layers
 */

const REACH_PX = 22; // a finger is about twice as wide
const ASIDE_PX = 12; // of what is said of a point

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

/** The colors of the page: those that were chosen, or else those of the reader's system. */
export const schemeNow = () => document.documentElement.dataset.scheme ?? (dark?.matches ? "dark" : "light");

/** Calls back when the colors are others. @param {() => void} draw */
export function onScheme(draw) {
  dark?.addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-scheme"] });
}

/** Where a picture takes its colors from. */
const ofPage = { now: schemeNow, watch: onScheme };

export class Picture {
  /**
   * @param {HTMLElement} node that the picture fills
   * @param {Scene} scene
   * @param {{ now: () => string, watch: (draw: () => void) => void }} [colors]
   */
  constructor(node, scene, colors = ofPage) {
    this.scene = scene;
    this.colors = colors;
    this.plot = element("div", "plot");
    this.row = element("p", "row");
    this.fit = button("fit", "Show all", () => this.look(null));
    const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", ""));
    this.plot.append(canvas);
    Object.assign(this.plot, { role: "img", tabIndex: 0 });
    this.row.setAttribute("role", "status");
    node.append(this.plot, this.row, this.fit);
    hide(this.row, true);
    hide(this.fit, true);
    this.painter = new Painter(canvas, this.plot);
    /** @type {any} */
    this.plane = null;
    /** @type {Axes} */
    this.axes = [[0, 1], [0, 1]];
    /** @type {Axes | null} */
    this.zoom = null;
    /** @type {number[] | null} */
    this.classes = null; // that alone are shown
    /** @type {number[][] | null} */
    this.selected = null; // by trace of points, those that stand out
    /** What dragging does that does not move the picture. @type {(place: Point) => import("../../plane/looking_around.mjs").Drag | null} */
    this.take = () => null;
    /** What draws every row of a plane. @type {(plane: any) => import("../../plane/still_rows.mjs").StillRows | null} */
    this.everyRowOf = () => null;
    lookAround(this.plot, {
      shown: () => this.plane && this.painter.shown(this.view(), this.wantedAxes()),
      look: (axes) => this.look(axes),
      point: (place) => this.point(place),
      take: (place) => this.take(place),
    });
    this.plot.addEventListener("dblclick", () => this.look(null));
    watchSize(this.plot, () => this.draw());
    colors.watch(() => this.draw());
  }

  /** @param {any} plane decoded once, so that the picture moves from one to the next @param {Axes} axes */
  show(plane, axes) {
    Object.assign(this, { plane, axes });
    this.draw();
  }

  /** @param {number[] | null} classes */
  showAlone(classes) {
    this.classes = classes;
    this.draw();
  }

  look(zoom) {
    this.zoom = zoom;
    hide(this.fit, !zoom);
    this.draw();
  }

  wantedAxes() {
    return this.zoom ?? this.axes;
  }

  draw() {
    if (!this.plane || !this.plot.clientWidth) return;
    hide(this.row, true);
    this.painter.show(this.view(), this.wantedAxes());
  }

  /** @returns {import("../../plane/painter.mjs").View} */
  view() {
    const { plane, classes, selected } = this;
    const { figures, surfaces, titles, layers } = this.scene;
    const scheme = this.colors.now();
    return {
      plane,
      figure: figures[scheme],
      titles: plane.titles ?? titles,
      surface: surfaces[scheme],
      hidden: [],
      layers,
      classes,
      selected,
      arrows: null,
      unseen: [],
      every: this.everyRowOf(plane),
    };
  }

  point(place) {
    const found = place && this.nearest(place);
    hide(this.row, !found);
    if (!found) return;
    this.row.textContent = this.nameOf(found);
    this.row.style.translate = `min(${found.at[0] + ASIDE_PX}px, ${this.plot.clientWidth}px - 100% - 8px) ${found.at[1] + ASIDE_PX}px`;
  }

  /** The point at a place, within reach. @param {Point} place */
  nearest(place) {
    return this.painter.nearest(place, REACH_PX);
  }

  /** @param {{ trace: number, index: number }} point */
  nameOf({ trace }) {
    const { kind, class: code } = this.scene.figures.light.data[trace].meta;
    const name = this.scene.names[code];
    return kind === PLANE_TRACE.heldOut ? `${name}, held out` : name;
  }
}

/** What an element of the file holds. @param {Element} node */
export const dataIn = (node) => unpacked(fromBase64(node.textContent));

/** The planes of a file, each decoded when it is first asked for. @param {any[]} planes */
export function decodedOnce(planes) {
  const known = planes.map(() => null);
  return (at) => (known[at] ??= decodedPlane(planes[at]));
}
