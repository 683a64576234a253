// The features that separate the classes, that first without which most is lost: bars as long as the
// loss, while planes follow each other as the arrows. Those without a visible effect are gray. A feature that is pointed at, or pressed, has its arrow lit in the picture.
import { hide, write } from "../page/dom.mjs";
import { moveAmong } from "../page/menu.mjs";
import { mode } from "../page/mode.mjs";
import { sendCommand } from "../panel/commands.mjs";
import { addToPanels } from "../panel/features.mjs";
import { originOf, tipsOf } from "../plane/arrows.mjs";
import { shortened } from "../plane/label_placement.mjs";
import { drawnAxes, toPixels } from "../plane/pixel_axes.mjs";
import { openWindow } from "./buttons.mjs";
import { PixelImages } from "./pixel_images.mjs";

/** @typedef {{ feature: number, name: string, x: number, y: number, share?: number, is_seen?: boolean, words?: string, shape?: string, is_stable?: boolean, stability?: string }} Feature */
/** @typedef {{ features: Feature[], of: number, line: { words: string, points: string } | null, stability?: string, second?: string }} Ranking */

const LONGEST = 15;
const FADED = "Features that fewer than half of the resamples select are faded.";
const WHILE_RUNNING_MS = 500;
const AT_REST_MS = 120; // a plane that stays this long is at rest

export function addFeatureList() {
  addToPanels((panel) => panel.part("features") && new FeatureList(panel));
}

class FeatureList {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.list = panel.part("features");
    this.arrow = new LitArrow(panel);
    this.images = new PixelImages(panel, (pixel) => this.arrow.show(pixel ?? this.lit()));
    this.shownAt = -Infinity;
    /** @type {string | null} */
    this.shown = null; // the address of the ranking in the list
    panel.node.addEventListener("panel:painted", () => this.follow());
    panel.node.addEventListener("panel:news", ({ detail: { verdict } }) => this.noteCheck(verdict?.check));
    for (const event of ["pointerover", "focusin"]) this.list.addEventListener(event, ({ target }) => this.light(target));
    for (const event of ["pointerleave", "focusout"]) this.list.addEventListener(event, () => this.light(null));
    this.list.addEventListener("focusin", ({ target }) => this.stopAt(target.closest("[data-feature]")));
    this.list.addEventListener("keydown", (event) => moveAmong(event, this.buttons()));
    this.list.addEventListener("click", ({ target }) => this.press(target.closest("[data-feature]")));
    panel.part("one-component").onclick = () => sendCommand(panel, "one-component");
    panel.part("feature-densities").onclick = () => openWindow(`runs/${panel.run}/features/${this.pressed}`);
  }

  // While planes follow each other the strongest features suffice; a plane that stays has all.
  follow() {
    const { panel } = this;
    if (!panel.isShown()) return;
    this.arrow.place();
    if (mode.value !== "explore") return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rank().catch(console.warn), AT_REST_MS);
    if (performance.now() - this.shownAt > WHILE_RUNNING_MS && !panel.isFinal) this.show(strongest(panel));
  }

  // A check that has ended knows how stable each feature is.
  noteCheck(check) {
    const hasEnded = Boolean(check?.is_final);
    if (hasEnded !== this.isChecked && this.isChecked !== undefined) {
      this.shown = null;
      this.follow();
    }
    this.isChecked = hasEnded;
  }

  async rank() {
    const { panel } = this;
    if (panel.isDisposed || !panel.plane) return;
    const address = `planes/${panel.plane.sequence}/features?${panel.query()}`;
    if (address === this.shown) return;
    const answer = await fetch(`runs/${panel.run}/${address}`);
    if (!answer.ok) return;
    const ranking = await answer.json();
    this.show(ranking);
    this.images.show(ranking.images);
    this.shown = address;
    this.fade(ranking.features);
    // Shapes stay while planes follow each other. Where none bends, the list has no room for them.
    this.list.classList.toggle("has-shapes", ranking.features.some(({ shape }) => shape));
    hide(panel.part("second"), !ranking.second);
    write(panel.part("second-words"), `${ranking.second} `);
  }

  /** @param {Ranking} ranking */
  show({ features, of, line, stability }) {
    this.shown = null;
    this.shownAt = performance.now();
    const longest = Math.max(...features.map(lengthOf), Number.MIN_VALUE);
    const firstUnseen = features.findIndex((feature) => feature.is_seen === false);
    const template = this.panel.part("feature");
    const known = new Map([...this.list.children].map((item) => [item.dataset.of, item]));
    const items = features.map((feature) => filled(known.get(String(feature.feature)) ?? newItem(template, feature), feature, longest));
    for (const [i, item] of items.entries()) item.classList.toggle("is-first-unseen", i === firstUnseen);
    if (items.length !== this.list.childElementCount || items.some((item, i) => item !== this.list.children[i])) this.list.replaceChildren(...items);
    this.features = new Map(features.map((feature) => [feature.feature, feature]));
    this.stopAt(this.buttons().find(({ tabIndex }) => tabIndex === 0) ?? this.buttons()[0]);
    const more = of > features.length ? `The strongest ${features.length} of ${of.toLocaleString("en")}.` : "";
    this.panel.part("features-more").title = stability ? FADED : "";
    write(this.panel.part("features-more"), [more, stability].filter(Boolean).join(" "));
    this.showLine(line);
    this.arrow.show(this.lit());
  }

  // The lengths of all arrows where features are in order, as along a spectrum.
  showLine(line) {
    const svg = this.panel.part("features-line");
    svg.toggleAttribute("hidden", !line);
    svg.setAttribute("aria-label", line?.words ?? "");
    svg.firstElementChild.setAttribute("points", line?.points ?? "");
  }

  // Arrows of features without a visible effect are faint.
  fade(features) {
    const { panel } = this;
    const unseen = new Set(features.filter((feature) => feature.is_seen === false).map(({ feature }) => feature));
    const isSame = unseen.size === panel.unseen.size && [...unseen].every((feature) => panel.unseen.has(feature));
    panel.unseen = unseen;
    if (!isSame) panel.paint();
  }

  /** @returns {HTMLElement[]} */
  buttons() {
    return [...this.list.querySelectorAll("[data-feature]")];
  }

  // The list is one stop of the Tab key: the feature that had the focus last.
  stopAt(stop) {
    for (const button of this.buttons()) button.tabIndex = button === stop ? 0 : -1;
  }

  light(target) {
    const item = target?.closest?.("[data-feature]");
    this.pointed = item ? Number(item.dataset.feature) : null;
    this.arrow.show(this.lit());
  }

  press(item) {
    if (!item) return;
    const feature = Number(item.dataset.feature);
    this.pressed = this.pressed === feature ? null : feature;
    for (const button of this.buttons()) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.feature) === this.pressed));
    }
    const name = this.features?.get(this.pressed)?.name;
    const button = this.panel.part("feature-densities");
    Object.assign(button, { hidden: !name, title: name ? `The classes along ${name} alone` : "" });
    this.arrow.show(this.lit());
  }

  lit() {
    return this.features?.get(this.pointed ?? this.pressed) ?? null;
  }
}

const lengthOf = ({ x, y }) => Math.hypot(x, y);

// The arrows that came with the plane.
function strongest({ plane, figure }) {
  const { features, names, scale, of } = plane.arrows;
  const found = tipsOf(figure, plane).map(([x, y], i) => {
    const [fromX, fromY] = originOf(figure, plane, i);
    return { feature: features[i], name: names[i], x: (x - fromX) / scale, y: (y - fromY) / scale };
  });
  return { features: found, of: Math.min(of, found.length), line: null };
}

function newItem(template, { feature, name }) {
  const item = template.content.firstElementChild.cloneNode(true);
  item.dataset.of = String(feature);
  item.firstElementChild.dataset.feature = String(feature);
  item.querySelector(".feature-name").textContent = shortened(name, LONGEST);
  return item;
}

function filled(item, feature, longest) {
  const [bar, direction, line] = [".feature-bar", ".feature-direction", "polyline"].map((part) => item.querySelector(part));
  if (feature.shape) line.setAttribute("points", feature.shape);
  bar.style.setProperty("--share", String(feature.share ?? lengthOf(feature) / longest));
  direction.style.rotate = `${Math.round((Math.atan2(feature.x, feature.y) * 180) / Math.PI)}deg`;
  const worth = feature.is_seen === false ? `no effect seen: ${feature.words}` : feature.words;
  const words = [feature.name, `loading ${lengthOf(feature).toFixed(2)}`, worth, feature.stability].filter(Boolean);
  item.firstElementChild.setAttribute("aria-label", words.join(", "));
  item.firstElementChild.title = [feature.name, [worth, feature.stability].filter(Boolean).join("; ")].filter(Boolean).join(": ");
  item.firstElementChild.classList.toggle("is-unseen", feature.is_seen === false);
  item.firstElementChild.classList.toggle("is-unstable", feature.is_stable === false);
  return item;
}

// The arrow of the feature that is pointed at in the list, over the picture.

class LitArrow {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.feature = null;
    this.node = panel.part("lit-arrow");
    this.line = this.node.querySelector("line");
    this.head = this.node.querySelector("path");
    this.name = this.node.querySelector("text");
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
    const isShown = feature && panel.plane?.arrows.features.length && panel.nComponents > 1 && drawnAxes(plot);
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
