// The play bar below the picture, and what Present shows of the page: title and legend.
import { setProps } from "../page/dash.mjs";
import { byId, onClick, span, whenPresent } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { switches } from "../page/switches.mjs";
import { addToPanels } from "../panel/features.mjs";
import { setSpeed, speed } from "../panel/history.mjs";
import { allPanels, frontPanel, panelRuns } from "../panel/panels.mjs";
import { runList } from "../panel/run_list.mjs";
import { bringToFront, stage } from "../panel/runs.mjs";
import { copyLink } from "../workspace/share_link.mjs";
import { addToStory, currentStory, isOfPictures, legendOfPage, showTitle, stepStory, toldView } from "../workspace/story.mjs";
import { positionLabel } from "../workspace/story_order.mjs";
import { leave, openPresenter, toggleFullScreen, toggleKeys } from "./keys.mjs";

/** @type {Record<string, any>} */
const bar = {}; // the parts of the bar, by name
const IDLE_MS = 2000;
let idle = 0; // the timer
/** @type {import("./morph.mjs").Morph | undefined} */
let morph; // loaded when Present is first shown

export function connectPlayBar() {
  addToPanels((panel) => {
    panel.node.addEventListener("panel:options", () => panel === frontPanel() && morph?.follow());
    copyLegend(panel);
    if (mode.value === "present") queueMicrotask(() => morph?.followRuns());
  });
  onChange(stage, () => morph?.followRuns());
  onClick("[data-morph-to]", ({ dataset }) => morphBetween(dataset).catch(console.warn));
  onChange([stage, panelRuns], showFoot);
  onChange([currentStory, toldView], showStory);
  onChange(switches.names, () => allPanels().forEach(showLegend));
  whenPresent(".play-bar", build);
  whenPresent("#data-summary", (summary) => {
    new MutationObserver(showClasses).observe(summary, { childList: true });
    onChange(runList, showClasses);
    showClasses();
  });
}

/** Plays the morph to the chosen run, or pauses it. */
export const playMorph = () => morph?.play();

function build(node) {
  for (const part of node.querySelectorAll("[data-bar]")) bar[part.dataset.bar] = part;
  bar.speed.value = String(speed.value);
  bar.speed.addEventListener("change", () => {
    setSpeed(Number(bar.speed.value));
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
  document.addEventListener("pointermove", stayAwake);
  onChange(mode, present);
  present();
  showStory();
}

// Table and method, of the picture in front: another run than that of a story is told apart by them.
function showFoot() {
  const foot = byId("stage-foot");
  const panel = frontPanel();
  if (foot) foot.textContent = panel ? [byId("data-name")?.textContent, panel.node.dataset.title].filter(Boolean).join(" · ") : "";
}

function present() {
  showFoot();
  stayAwake();
  if (mode.value === "present") showMorph().catch(console.warn);
}

async function showMorph() {
  const { Morph } = await import("./morph.mjs");
  morph ??= new Morph(bar);
  morph.followRuns();
}

// Two runs that are compared have the stage for it.
/** @param {DOMStringMap} runs */
async function morphBetween({ morphFrom, morphTo }) {
  bringToFront(morphFrom);
  setProps("mode", { value: "present" });
  await showMorph();
  bar["morph-to"].value = morphTo;
  morph.choose();
}

// A room sees no bar that nobody reaches for.
function stayAwake() {
  document.body.removeAttribute("data-idle");
  clearTimeout(idle);
  idle = setTimeout(() => document.body.setAttribute("data-idle", ""), IDLE_MS);
}

function showStory() {
  showTitle();
  document.body.toggleAttribute("data-told", toldView.value !== null);
  if (!bar.steps) return;
  bar.steps.hidden = !currentStory.value.views.length;
  bar.count.textContent = positionLabel(currentStory.value);
}

function showClasses() {
  showTitle();
  if (isOfPictures()) allPanels().forEach(copyLegend);
}

// The legend is in the sheet of the table, which Present hides.
/** @param {Panel} panel */
function copyLegend(panel) {
  const items = [...(legendOfPage()?.children ?? [])].map((item) => {
    const [swatch, name] = [item.querySelector(".swatch"), item.querySelector(".class-name")];
    const copy = document.createElement("li");
    copy.append(swatch.cloneNode(true), span(name.textContent));
    return copy;
  });
  panel.part("class-legend").replaceChildren(...items);
  showLegend(panel);
}

// Where the names are on the clouds, they need no legend.
function showLegend(panel) {
  panel.part("class-legend").hidden = switches.names.value;
}
