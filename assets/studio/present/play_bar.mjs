// The play bar below the picture, and what Present shows of the page: caption and legend.
import { ID } from "../constants.mjs";
import { byId, whenPresent } from "../page/dom.mjs";
import { addToPanels, dressTraces } from "../panel/features.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { onChange, state, update } from "../state.mjs";
import { copyLink } from "../views/share_link.mjs";
import { addToStory, stepStory } from "../views/story.mjs";
import { positionLabel } from "../views/story_order.mjs";
import { enlarge } from "./larger.mjs";
import { leave, toggleFullScreen, toggleKeys } from "./keys.mjs";
import { Morph } from "./morph.mjs";

/** @type {Record<string, any>} */
const bar = {}; // the parts of the bar, by name
/** @type {Morph} */
let morph;

export function connectPlayBar() {
  dressTraces(enlarge);
  addToPanels((panel) => {
    panel.node.addEventListener("panel:look", () => panel === frontPanel() && morph?.follow());
    if (state.mode === "present") queueMicrotask(() => morph?.followRuns());
  });
  onChange("mode", () => morph?.followRuns());
  onChange("mode", copyLegend);
  onChange("story", showStory);
  whenPresent(".play-bar", build);
  whenPresent(`#${ID.dataSummary}`, (summary) => {
    new MutationObserver(copyLegend).observe(summary, { childList: true, subtree: true });
    copyLegend();
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
  bar.full.onclick = toggleFullScreen;
  bar.keys.onclick = toggleKeys;
  bar.leave.onclick = leave;
  morph = new Morph(bar.morph, bar["morph-to"], bar["morph-slot"]);
  morph.followRuns();
  showStory();
}

function showStory() {
  const caption = byId(ID.caption);
  if (!caption || !bar.steps) return;
  const { views, at } = state.story;
  bar.steps.hidden = !views.length;
  bar.count.textContent = positionLabel(state.story);
  caption.textContent = views[at]?.caption ?? "";
}

// The legend is in the sidebar, which Present hides.
function copyLegend() {
  const legend = document.querySelector(`#${ID.dataSummary} .legend`);
  const copy = byId(ID.presentLegend);
  if (!legend || !copy) return;
  const shown = /** @type {Element} */ (legend.cloneNode(true));
  for (const node of shown.querySelectorAll("[id]")) node.removeAttribute("id");
  copy.replaceChildren(shown);
}
