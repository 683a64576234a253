// The tree of planes beside the picture: follows its growth, previews the plane under the pointer,
// and morphs the picture into the plane that is chosen.
import { button, colorScheme, element } from "../page/dom.mjs";
import { draw } from "../plane/plotly.mjs";
import { AnalysisView } from "./analysis_view.mjs";
import { drawPreview } from "./preview.mjs";
import { optionsAt, shownIn } from "./tree_steps.mjs";
import { glide, walkAlong } from "./walk.mjs";

const HEIGHTS = { accuracy: "Held-out accuracy", divergence: "Divergence" };
const KEYS =
  "Tree of planes. Left and right arrows change the kernel width, up and down the plane; Enter shows it in the picture.";
const MEANING =
  "Each mark is a plane where the divergence has an optimum, each line one that persists as the kernels change. Dark " +
  "lines exceed what shuffled labels reach (the gray band) over an octave of γ or more. Click a mark to see its plane.";
const STEPS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

export class View extends AnalysisView {
  constructor() {
    const heights = element("div", "segments", ...Object.entries(HEIGHTS).map(([height, label]) => {
      const choice = button("segment", label, () => this.measureBy(height));
      choice.dataset.height = height;
      return choice;
    }));
    heights.setAttribute("role", "group");
    heights.setAttribute("aria-label", "Height of the planes");
    const plot = element("div", "tree-plot");
    plot.setAttribute("role", "application");
    plot.setAttribute("aria-label", KEYS);
    plot.tabIndex = 0;
    const preview = element("canvas", "tree-preview");
    preview.setAttribute("aria-hidden", "true");
    const plane = element("p", "tree-plane");
    plane.setAttribute("role", "status");
    const branches = element("ul", "tree-branches");
    branches.setAttribute("aria-label", "Branches");
    const notes = element("ul", "tree-notes");
    const at = element("div", "tree-at", preview, plane);
    super("tree", heights, plot, at, branches, notes, element("p", "hint", MEANING));
    /** @type {Record<string, any>} */
    this.parts = { plot, preview, plane, branches, notes };
    this.height = "accuracy";
    this.at = -1; // the plane under the pointer or the keys
  }

  /** @param {Panel} panel */
  open(panel) {
    super.open(panel);
    this.parts.plot.focus();
  }

  query() {
    return new URLSearchParams({ height: this.height, scheme: colorScheme() });
  }

  forget() {
    super.forget();
    this.at = -1;
    this.parts.plane.textContent = "";
  }

  look() {
    this.drawFigure().catch(console.warn);
  }

  /** @returns {Tree | null} */
  get tree() {
    return this.found;
  }

  show() {
    const { notes, figure } = this.tree;
    this.parts.notes.replaceChildren(...notes.map((note) => element("li", "", note)));
    this.listBranches(this.tree);
    const height = figure?.height ?? this.height;
    for (const choice of this.dialog.querySelectorAll("[data-height]")) {
      choice.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (choice).dataset.height === height));
    }
    this.look();
  }

  listBranches({ branches }) {
    const written = JSON.stringify(branches);
    if (written === this.listed) return;
    this.listed = written;
    const items = branches.map((branch) => {
      const { letter, words, best } = branch;
      const show = button("button is-text", element("strong", "", letter), () => this.choose(best).catch(console.warn));
      show.append(` ${words}`);
      const walk = button("button", "Walk", () => this.walk(branch).catch(console.warn));
      walk.setAttribute("aria-label", `Walk along ${letter} as γ rises`);
      return element("li", "", show, walk);
    });
    this.parts.branches.replaceChildren(...items);
  }

  async drawFigure() {
    const { tree, panel } = this;
    if (!this.dialog.open || !tree?.figure) return;
    const { data, layout } = tree.figure;
    const shown = shownIn(tree.planes, tree.run, panel.options);
    const rings = [...ring(tree.planes[shown], 20, 3), ...(this.at === shown ? [] : ring(tree.planes[this.at], 16, 1.5))];
    const plot = this.parts.plot;
    await draw(plot, [...data, ...rings], layout);
    if (plot.dataset.listens) return;
    plot.dataset.listens = "true";
    plot.on("plotly_hover", ({ points }) => this.visit(points[0].customdata));
    plot.on("plotly_click", ({ points }) => this.choose(points[0].customdata));
  }

  /** Says what a plane is, and previews it. @param {number | undefined} at */
  visit(at) {
    const { tree, panel } = this;
    if (at === undefined || !tree?.planes[at]) return;
    this.at = at;
    const target = tree.planes[at];
    this.parts.plane.textContent = target.words;
    this.look();
    const isWanted = () => this.at === at && this.panel === panel;
    drawPreview(this.parts.preview, panel, this.options(target), isWanted).catch(console.warn);
  }

  /** @param {TreePlane} target @param {number} [share] @param {TreePlane} [origin] */
  options(target, share = 1, origin = undefined) {
    return optionsAt(this.tree.run, target, share, origin, this.panel.gamma);
  }

  /** Morphs the picture into a plane of the tree. @param {number | undefined} at */
  async choose(at) {
    const { tree, panel } = this;
    if (at === undefined || !tree?.planes[at] || !panel.plane) return;
    this.visit(at);
    panel.history.player.pause();
    const number = (this.playing = performance.now());
    const origin = tree.planes[shownIn(tree.planes, tree.run, panel.options)];
    if (origin === tree.planes[at]) return;
    const isOn = () => this.playing === number && !panel.isDisposed;
    await glide(isOn, (share) => panel.changeView(this.options(tree.planes[at], share, origin)));
  }

  /** @param {Tree["branches"][number]} branch */
  walk(branch) {
    const { tree, panel } = this;
    this.playing = 0;
    return walkAlong(panel, tree, branch, (at) => this.panel === panel && this.visit(at));
  }

  measureBy(height) {
    this.height = height;
    this.load().catch(console.warn);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    super.press(event);
    if (event.target !== this.parts.plot || !this.tree?.planes.length) return;
    if (event.key in STEPS) this.visit(this.at < 0 ? 0 : this.tree.planes[this.at].steps[STEPS[event.key]]);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.at).catch(console.warn);
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
