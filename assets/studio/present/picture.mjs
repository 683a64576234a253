// A picture outside the studio, in replays, on phones and in notebooks: the painter with what a reader looks around by.
import { button, colorScheme, element, hide, onColorScheme, span } from "../page/dom.mjs";
import { lookAround } from "../plane/looking_around.mjs";
import { Painter } from "../plane/painter.mjs";
import { isPoints } from "../plane/traces.mjs";

export const REACH_PX = 22; // a finger is about twice as wide

export class Picture extends Painter {
  /**
   * @param {HTMLElement} node that the picture fills
   * @param {Scene | null} scene
   * @param {HTMLElement | null} [legend] the list whose buttons show some classes alone
   */
  constructor(node, scene, legend = null) {
    const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", ""));
    const plot = Object.assign(element("div", "plot", canvas), { role: "img", tabIndex: 0 });
    super(canvas, plot);
    this.scene = scene;
    this.legend = legend;
    this.ring = element("span", "ring"); // around the point that is named
    this.row = element("p", "row");
    this.row.setAttribute("role", "status");
    this.fit = button("fit", "Show all", () => this.look(null));
    node.append(plot, this.ring, this.row, this.fit);
    this.view.layers = scene?.layers ?? [];
    /** Told that the reader has begun to look around. */
    this.onLook = () => undefined;
    lookAround(plot, this);
    plot.addEventListener("dblclick", () => this.look(null));
    onColorScheme(() => this.draw());
    this.point(null);
    hide(this.fit, true);
  }

  /** @param {any} plane decoded once, so that the picture moves from one to the next @param {Axes} axes */
  showPlane(plane, axes) {
    this.show({ plane, axes, titles: plane.titles ?? this.scene.titles, unseen: plane.unseen ?? [] });
  }

  /** Shows what the reader has chosen. @param {{ zoom?: Axes | null, classes?: number[] | null }} change */
  choose(change) {
    this.onLook();
    this.show(change);
  }

  /** @param {Axes | null} zoom */
  look(zoom) {
    this.choose({ zoom });
  }

  /** Of the figures and surfaces. */
  get scheme() {
    return colorScheme();
  }

  draw() {
    const { scene, scheme, view } = this;
    if (!scene) return;
    Object.assign(view, { figure: scene.figures[scheme], surface: scene.surfaces[scheme] });
    this.point(null);
    hide(this.fit, !view.zoom);
    if (this.legend) this.showClasses(this.legend);
    super.draw();
  }

  /** The classes, as buttons that show some of them alone, which stay where they are the same. @param {HTMLElement} list */
  showClasses(list) {
    const { figure, classes } = this.view;
    const markers = figure.data.filter(({ meta }) => meta.kind === "train").map(({ marker }) => marker);
    const key = JSON.stringify([this.scene.names, markers]);
    if (list.dataset.key !== key) list.replaceChildren(...this.scene.names.map((name, code) => this.classItem(code, name, markers[code])));
    list.dataset.key = key;
    const buttons = list.querySelectorAll("button");
    for (const [code, node] of buttons.entries()) node.setAttribute("aria-pressed", String(classes?.includes(code) ?? false));
  }

  classItem(code, name, { color, symbol }) {
    const swatch = element("span", `swatch ${symbol}`);
    swatch.style.background = color;
    const node = button("", swatch, () => {
      const alone = this.view.classes ?? [];
      const chosen = alone.includes(code) ? alone.filter((known) => known !== code) : [...alone, code];
      this.choose({ classes: chosen.length ? chosen : null }); // every class is shown again once none is left
    });
    node.append(name);
    node.title = "Show this class alone";
    return element("li", "", node);
  }

  /** Says which row is at a place. @param {Point | null} place in pixels */
  point(place) {
    const found = place && this.nearest(place, REACH_PX);
    for (const part of [this.ring, this.row]) hide(part, !found);
    if (!found) return;
    this.ring.style.translate = `${found.at[0]}px ${found.at[1]}px`;
    this.row.replaceChildren(...this.wordsOf(found).map((text) => span(text)));
  }

  /** @param {{ trace: number, index: number }} point @returns {string[]} */
  wordsOf(point) {
    return wordsOf(this.scene, point);
  }
}

/**
 * What is said of a point: its class, and what else may be known of the row.
 * @param {Scene} scene
 * @param {{ trace: number, index: number }} point
 * @returns {string[]}
 */
export function wordsOf({ figures, names, rows }, { trace, index }) {
  const { data } = figures.light;
  const { kind, class: code } = data[trace].meta;
  const known = rows ? rows[data.slice(0, trace).filter(isPoints).length][index] : [];
  return [kind === "held_out" ? `${names[code]}, held out` : names[code], ...known];
}
