// The play bar below the picture, and what Present shows of the page: title and legend.
import { ID } from "../constants.mjs";
import { byId, span, whenPresent } from "../page/dom.mjs";
import { addToPanels, dressTraces } from "../panel/features.mjs";
import { allPanels, frontPanel } from "../panel/panels.mjs";
import { onChange, state, update } from "../state.mjs";
import { copyLink } from "../views/share_link.mjs";
import { addToStory, stepStory } from "../views/story.mjs";
import { positionLabel } from "../views/story_order.mjs";
import { enlarge } from "./larger.mjs";
import { leave, toggleFullScreen, toggleKeys } from "./keys.mjs";
import { openPresenter } from "./presenter_link.mjs";
import { Morph } from "./morph.mjs";

/** @type {Record<string, any>} */
const bar = {}; // the parts of the bar, by name
/** @type {Morph} */
let morph;

export function connectPlayBar() {
  dressTraces(enlarge);
  addToPanels((panel) => {
    panel.node.addEventListener("panel:look", () => panel === frontPanel() && morph?.follow());
    copyLegend(panel);
    if (state.mode === "present") queueMicrotask(() => morph?.followRuns());
  });
  onChange("mode", () => morph?.followRuns());
  onChange("story", showStory);
  onChange("view", () => allPanels().forEach(showLegend));
  whenPresent(".play-bar", build);
  whenPresent(`#${ID.dataSummary}`, (summary) => {
    new MutationObserver(showClasses).observe(summary, { childList: true });
    showClasses();
  });
}

/** Plays the morph to the chosen run, or pauses it. */
export const playMorph = () => morph?.play();

function build(node) {
  for (const part of node.querySelectorAll("[data-bar]")) bar[part.dataset.bar] = part;
  bar.speed.value = String(state.speed);
  bar.speed.addEventListener("change", () => {
    update({ speed: Number(bar.speed.value) });
    bar.speed.blur(); // the keys of Present go to the page again
  });
  bar.link.onclick = () => copyLink(frontPanel()).catch(console.warn);
  bar.add.onclick = () => addToStory().catch(console.warn);
  bar.previous.onclick = () => stepStory(-1);
  bar.next.onclick = () => stepStory(1);
  bar.notes.onclick = openPresenter;
  bar.full.onclick = toggleFullScreen;
  bar.keys.onclick = toggleKeys;
  bar.leave.onclick = leave;
  morph = new Morph(bar.morph, bar["morph-to"], bar["morph-slot"]);
  morph.followRuns();
  showStory();
}

function showStory() {
  showTitle();
  if (!bar.steps) return;
  bar.steps.hidden = !state.story.views.length;
  bar.count.textContent = positionLabel(state.story);
}

/** What a view of the story says, else what is asked of the classes. */
export function showTitle() {
  const title = byId(ID.title);
  if (!title) return;
  const view = state.story.views[state.story.at];
  title.textContent = view?.title || (legendOfPage()?.dataset.question ?? "");
  byId(ID.caption).textContent = view?.caption ?? "";
}

function showClasses() {
  showTitle();
  allPanels().forEach(copyLegend);
}

/** @returns {HTMLElement | null} */
const legendOfPage = () => document.querySelector(`#${ID.dataSummary} .legend`);

// The legend is in the sidebar, which Present hides.
/** @param {import("../panel/panel.mjs").Panel} panel */
function copyLegend(panel) {
  const items = [...(legendOfPage()?.children ?? [])].map((item) => {
    const [swatch, name] = item.children;
    const copy = document.createElement("li");
    copy.append(swatch.cloneNode(true), span(name.textContent));
    return copy;
  });
  panel.part("class-legend").replaceChildren(...items);
  showLegend(panel);
}

// Where the names are on the clouds, they need no legend.
function showLegend(panel) {
  panel.part("class-legend").hidden = state.names;
}
