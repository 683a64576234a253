// The story: views are added to it from the screen, loaded from a file, and stepped through.
import { ask, showFailure } from "../page/answers.mjs";
import { noUpdate, provideCallbacks, setProps } from "../page/dash.mjs";
import { byId, onClick, takeFiles, whenPresent } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { NO_PLANE, showNotice } from "../page/notice.mjs";
import { computed, onChange, signal } from "../page/signals.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { followRevision, runList } from "../panel/run_list.mjs";
import { forgetEarlier, frontRun } from "../panel/runs.mjs";
import { restoredRun, sharedView } from "./share_link.mjs";
import { positionAfter, viewCount } from "./story_order.mjs";

const FIELDS = ["caption", "title", "notes"]; // of a view in the list, in the order of the page

/**
 * The story; `included` is the one that came with the studio, as JSON, if one was opened, and `run` that of its view, null
 * until it is known.
 */
export const currentStory = signal(
  /** @type {{ views: StoryView[], at: number, run: string | null, isAdding: boolean, included: string }} */
  ({ views: [], at: -1, run: null, isAdding: false, included: "" }),
);

/** The view whose run is in front: its title and caption belong to no other picture. */
export const toldView = computed([currentStory, frontRun], ({ views, at, run }, front) =>
  run === null || run === front ? (views[at] ?? null) : null,
);

let nListed = 0; // changes whenever the list must be rendered again

export function connectStory() {
  provideCallbacks({ setStory });
  onChange(restoredRun, ({ run }) => currentStory.value.run === null && updateStory({ run }));
  onChange(mode, (shown) => shown === "present" && closeStory()); // with notes that the audience must not see
  whenPresent(".story-load input", (input) => takeFiles(input, (file) => loadStory(file).catch(showFailure)));
  onClick("[data-story], [data-story-at], [data-included-story]", ({ dataset: { story, storyAt, includedStory } }) => {
    if (story === "open") setProps("story-view", { opened: true });
    if (story === "add") addToStory().catch(showFailure);
    if (storyAt) showView(Number(storyAt));
    if (includedStory) chooseIncluded(includedStory);
  });
}

const closeStory = () => setProps("story-view", { opened: false });
const updateStory = (change) => currentStory.set({ ...currentStory.value, ...change });

export const hasStory = () => currentStory.value.views.length > 0;

/** Shows the view some steps on, if there is one. @param {number} steps */
export function stepStory(steps) {
  const at = positionAfter(currentStory.value, steps);
  if (at !== null) showView(at);
}

/** Adds what is on screen to the story. */
export async function addToStory() {
  const panel = frontPanel();
  if (!panel?.plane) return showNotice(NO_PLANE);
  const { view, title } = await sharedView(panel);
  updateStory({ isAdding: true });
  return setProps("story-added", { data: { title, view } });
}

// A story that comes with the studio takes the place of another one of these, but of no other unasked.
function chooseIncluded(key) {
  const open = () => openIncluded(key).catch(showFailure);
  const { views, included } = currentStory.value;
  if (!views.length || JSON.stringify(views) === included) return open();
  const message = `Your story of ${viewCount(views)} would be replaced. To keep it, save it in Story first.`;
  return showNotice(message, { action: { label: "Replace it", act: open } });
}

// Its runs are stored, and it is shown in Present.
async function openIncluded(key) {
  const { story, revision } = await ask(`stories/${key}`, {});
  const { views } = story;
  forgetEarlier(); // its runs have ended long ago: no recap
  updateStory({ views, at: -1, included: JSON.stringify(views) });
  setProps("story", { data: story });
  followRevision(revision);
  showView(0, "present");
}

// In Present, views are shown in Present.
function showView(at, wanted = mode.value) {
  const { view } = currentStory.value.views[at];
  const shown = wanted === "present" ? wanted : view.mode;
  setProps("wanted", { data: { view: { ...view, mode: shown }, quiet: true } });
  updateStory({ at, run: null });
}

async function loadStory(file) {
  const { story } = await ask("story", file);
  updateStory({ at: -1 });
  setProps("story", { data: story });
  const message = `The story has ${viewCount(story.views)}. In Present, the arrow keys step through it.`;
  return showNotice(message, { briefly: true });
}

function setStory(stored) {
  const { views: former, at, isAdding } = currentStory.value;
  const views = stored?.views ?? [];
  if (isAdding && views.length > former.length) {
    showNotice(`Added to the story as view ${views.length}.`, { briefly: true });
  }
  updateStory({ views, isAdding: false, at: Math.min(at, views.length - 1) });
  return isListed(views) ? noUpdate() : ++nListed;
}

// Whether the list shows the story already. A text that is being edited is left alone.
function isListed(views) {
  const items = [...document.querySelectorAll("#story-list li")];
  if (!items.length || items.length !== views.length) return false;
  return items.every((item, i) => {
    const fields = /** @type {HTMLInputElement[]} */ ([...item.querySelectorAll("textarea, input")]);
    const isSame = FIELDS.every((name, at) => fields[at] === document.activeElement || fields[at].value === (views[i][name] ?? ""));
    if (isSame) item.querySelector(".story-title").textContent = `${i + 1}. ${views[i].title}`;
    return isSame;
  });
}

/** What a view of the story says, else what is asked of the classes of the picture. */
export function showTitle() {
  const title = byId("title");
  if (!title) return;
  if (toldView.value?.title) title.textContent = toldView.value.title;
  else if (isOfPictures()) title.textContent = legendOfPage()?.dataset.question ?? "";
  byId("caption").textContent = toldView.value?.caption ?? "";
}

/** Whether the pictures are of the classes in the sheet, which come before the runs of their table. */
export const isOfPictures = () => !frontPanel() || runList.value.data.id === legendOfPage()?.dataset.of;

/** The legend of the classes in the sheet of the table. @returns {HTMLElement | null} */
export const legendOfPage = () => document.querySelector("#data-summary .legend");
