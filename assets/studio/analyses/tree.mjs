// The tree of planes of a run: follows its growth, previews the plane under the pointer, and morphs the picture into the
// plane that is chosen.
import { Player } from "../plane/clock.mjs";
import { draw } from "../plane/plotly.mjs";
import { Analysis as OfRun } from "./analysis.mjs";
import { drawPreview, optionsAt, shownIn } from "./tree_steps.mjs";
import { walkAlong, wayTo } from "./walk.mjs";

const STEPS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

export class Analysis extends OfRun {
  /** @param {any} place @param {Panel} panel */
  constructor(place, panel) {
    super(place, panel);
    this.at = -1; // the plane under the pointer or the keys
    this.player = new Player(() => undefined);
    panel.node.addEventListener("panel:options", () => this.look());
    this.content.addEventListener("keydown", (event) => this.pressKey(event));
  }

  look() {
    this.drawFigures().catch(console.warn);
  }

  /** @returns {Tree | null} */
  get tree() {
    return this.found;
  }

  async drawFigures() {
    const { tree, panel } = this;
    if (!this.place.open || !tree?.figures.plot) return;
    const { data, layout } = tree.figures.plot;
    const shown = shownIn(tree.planes, tree.run, panel.options);
    const rings = [...ring(tree.planes[shown], 20, 3), ...(this.at === shown ? [] : ring(tree.planes[this.at], 16, 1.5))];
    const plot = this.kept("plot");
    await draw(plot, [...data, ...rings], layout);
    if (plot.dataset.listens) return;
    plot.dataset.listens = "true";
    plot.on("plotly_hover", ({ points }) => this.visit(points[0].customdata));
    plot.on("plotly_click", ({ points }) => this.choosePlane(points[0].customdata).catch(console.warn));
  }

  /** Says what a plane is, and previews it. @param {number | undefined} at */
  visit(at) {
    const { tree, panel } = this;
    if (at === undefined || !tree?.planes[at]) return;
    this.at = at;
    const target = tree.planes[at];
    const [canvas, words] = this.kept("at").children;
    words.textContent = target.words;
    this.look();
    drawPreview(canvas, panel, optionsAt(tree.run, target, panel.gamma), () => this.at === at).catch(console.warn);
  }

  /** Morphs the picture into a plane of the tree. @param {number | undefined} at */
  async choosePlane(at) {
    const { tree, panel } = this;
    if (at === undefined || !tree?.planes[at] || !panel.plane) return;
    this.visit(at);
    panel.history.player.pause();
    await this.player.play(wayTo(panel, tree, tree.planes[at]));
  }

  /** @param {HTMLButtonElement | null} button */
  press(button) {
    super.press(button);
    const { branch, walk } = button?.dataset ?? {};
    if (branch) this.choosePlane(this.tree.branches[branch].best).catch(console.warn);
    if (walk) this.walk(this.tree.branches[walk]).catch(console.warn);
  }

  /** @param {Tree["branches"][number]} branch */
  walk(branch) {
    const { tree, panel } = this;
    this.player.pause();
    return walkAlong(panel, tree, branch, (at) => this.visit(at));
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    if (event.target !== this.kept("plot") || !this.tree?.planes.length) return;
    if (event.key in STEPS) this.visit(this.at < 0 ? 0 : this.tree.planes[this.at].steps[STEPS[event.key]]);
    else if (event.key === "Enter" || event.key === " ") this.choosePlane(this.at).catch(console.warn);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// A ring around a plane, if there is one.
function ring(plane, size, width) {
  if (!plane) return [];
  const color = getComputedStyle(document.documentElement).getPropertyValue("--mantine-primary-color-filled");
  const marker = { symbol: "circle-open", size, color, line: { width } };
  return [{ x: [plane.gamma], y: [plane.y], mode: "markers", marker, hoverinfo: "skip" }];
}
