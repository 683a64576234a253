// The sections of a replay: each shows the planes that its JSON holds, chosen or played.
import { colorScheme, element, hide, lessMotion, onColorScheme } from "../../page/dom.mjs";
import { ChartCanvas } from "../../panel/curve.mjs";
import { decodedPlane, fromBase64, unpacked } from "../../plane/arrays.mjs";
import { Player } from "../../plane/clock.mjs";
import { drawSmallPlane } from "../../plane/canvas.mjs";
import { Picture } from "../picture.mjs";

/** @typedef {import("../picture.mjs").Scene} Scene */

/** What an element of the file holds. @param {Element} node */
export const dataIn = (node) => unpacked(fromBase64(node.textContent));

/** The planes of a file, each decoded when it is first asked for. @param {any[]} planes */
export function decodedOnce(planes) {
  const known = planes.map(() => null);
  return (at) => (known[at] ??= decodedPlane(planes[at]));
}

/** Connects all sections of the page. @param {Scene} scene */
export async function openSections(scene) {
  for (const section of document.querySelectorAll("[data-section]")) {
    const part = (name) => section.querySelector(`[data-part="${name}"]`);
    const data = await dataIn(section.querySelector("script"));
    const kind = /** @type {HTMLElement} */ (section).dataset.section;
    if (kind === "tree") new TreeSection(part, data, scene, [...section.querySelectorAll("[data-branch]")]);
    else connectResamples(part, data, scene);
  }
}

/** Shows a plane of a section by its place. @returns {(at: number) => void} */
function shower(part, { planes, axes }, scene) {
  const picture = new Picture(part("picture"), scene);
  const heading = part("picture").closest("section").querySelector("h2").textContent;
  picture.plot.setAttribute("aria-label", `${heading}: ${scene.names.join(", ")}`);
  const planeAt = decodedOnce(planes);
  return (at) => picture.showPlane(planeAt(at), axes[at] ?? axes[0]);
}

// Round and round by the clock, so that a slow machine shows fewer planes and not a slower motion.
function* rounds({ loop, ms }, show) {
  const began = performance.now();
  for (;;) {
    const step = Math.floor((performance.now() - began) / ms);
    show(step % loop);
    yield began + (step + 1) * ms - performance.now();
  }
}

function connectResamples(part, data, scene) {
  const show = shower(part, data, scene);
  const player = new Player((isPlaying) => (part("play").textContent = isPlaying ? "Stop moving" : "Watch it move"));
  part("play").onclick = () => player.toggle(() => rounds(data, show));
  const drawStills = () => part("stills").open && showStills(part("multiples"), data, scene);
  part("stills").ontoggle = drawStills;
  onColorScheme(drawStills);
  const follow = () => {
    hide(part("play"), lessMotion.matches || data.loop < 2);
    if (!lessMotion.matches) return;
    player.pause();
    part("stills").open = true;
  };
  /** @type {any} */ (lessMotion).addEventListener("change", follow);
  follow();
  show(data.stills.length ? data.stills[0][0] : 0);
}

function showStills(grid, { planes, axes, stills }, { figures }) {
  const planeAt = decodedOnce(planes);
  const canvases = stills.map(() => /** @type {HTMLCanvasElement} */ (element("canvas", "")));
  grid.replaceChildren(...stills.map(([, words], i) => element("figure", "", canvases[i], element("figcaption", "", words))));
  for (const [i, [at]] of stills.entries()) {
    const { traces } = planeAt(at);
    drawSmallPlane(canvases[i], figures[colorScheme()].data, { traces, limits: axes[at] ?? axes[0] });
  }
}

// The tree of planes beside the one that is chosen in it. The kernel width is dragged: the plane is that of the
// same branch at the width, or else the best there.

const RING_PX = 20;

class TreeSection {
  constructor(part, data, scene, buttons) {
    this.part = part;
    this.data = data;
    this.showPlane = shower(part, data, scene);
    this.at = 0;
    this.walked = null; // the button of the branch
    this.player = new Player((isPlaying) => this.walked.setAttribute("aria-pressed", String(isPlaying)));
    this.chart = new ChartCanvas(part("tree"), () => undefined);
    this.widths = [...new Set(data.marks.map(({ x }) => x))].sort((one, other) => one - other);
    Object.assign(part("choice"), { min: 0, max: this.widths.length - 1, step: 1 });
    part("choice").oninput = () => this.chooseOnly(planeOf(data, this.at, this.widths[part("choice").value]));
    part("tree").addEventListener("pointerdown", (event) => this.chooseNear(event));
    for (const button of buttons) button.onclick = () => this.walk(button);
    onColorScheme(() => this.drawTree());
    this.choose(data.branches[0]?.[0] ?? 0);
  }

  choose(at) {
    const { x, words } = this.data.marks[at];
    this.at = at;
    const choice = this.part("choice");
    choice.value = String(this.widths.indexOf(x));
    choice.setAttribute("aria-valuetext", words);
    this.part("words").textContent = words;
    this.drawTree();
    this.showPlane(at);
  }

  chooseOnly(at) {
    this.player.pause();
    this.choose(at);
  }

  chooseNear({ offsetX, offsetY }) {
    const { axis, box, chart } = this.chart;
    const { marks } = this.data;
    const [low, high] = chart.values;
    const [left, right] = axis.range;
    const distances = marks.map(({ x, y }) => {
      const across = axis.offset + ((x - left) / (right - left)) * axis.length;
      const down = box.top + ((high - y) / (high - low)) * box.height;
      return Math.hypot(across - offsetX, down - offsetY);
    });
    this.chooseOnly(distances.indexOf(Math.min(...distances)));
  }

  walk(button) {
    const isOther = button !== this.walked || !this.player.isPlaying;
    this.player.pause();
    this.walked = button;
    if (isOther) this.player.play(this.planes(this.data.branches[button.dataset.branch]));
  }

  *planes(branch) {
    for (const at of branch) {
      this.choose(at);
      yield this.data.ms;
    }
  }

  drawTree() {
    const { layout, ...chart } = this.data.charts[colorScheme()];
    const { x, y } = this.data.marks[this.at];
    const marker = { symbol: "circle-open", size: RING_PX, line: { width: 3 }, color: layout.font.color };
    const ring = { meta: { kind: "ring" }, mode: "markers", x: [x], y: [y], marker };
    this.chart.draw({ ...chart, traces: [...chart.traces, ring] }, layout);
  }
}

/**
 * The plane at a kernel width: of a branch that the chosen one is of, or else the highest.
 * @param {{ marks: { x: number, y: number }[], branches: number[][] }} tree
 * @param {number} chosen
 * @param {number} width
 */
export function planeOf({ marks, branches }, chosen, width) {
  const there = [...marks.keys()].filter((at) => marks[at].x === width);
  const own = branches.filter((branch) => branch.includes(chosen)).flat();
  const highest = (places) => places.toSorted((one, other) => marks[other].y - marks[one].y)[0];
  return highest(there.filter((at) => own.includes(at))) ?? highest(there);
}
