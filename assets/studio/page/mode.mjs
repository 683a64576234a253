// The mode, which Dash renders and the scripts follow.
import { ID } from "../constants.mjs";
import { state, update } from "../state.mjs";
import { noUpdate, provideCallbacks, setProps } from "./dash.mjs";
import { byId, whenPresent } from "./dom.mjs";

const REMEMBERED_MODE = "mode"; // in the storage of the tab

export function connectControls() {
  provideCallbacks({ setMode, noteRevision, noteCompared });
  document.body.dataset.mode = state.mode;
  document.addEventListener("keydown", runByKey);
  const mode = sessionStorage.getItem(REMEMBERED_MODE);
  whenPresent(`#${ID.panels}`, followPanels);
  whenPresent(`#${ID.mode}`, () => mode && setProps(ID.mode, { value: mode }));
}

// Ctrl+Enter is the button at the foot of the sidebar.
function runByKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || state.mode === "present") return;
  event.preventDefault();
  byId(state.mode === "compare" ? ID.runSeveral : ID.run).click();
}

function setMode(mode) {
  document.body.dataset.mode = mode;
  sessionStorage.setItem(REMEMBERED_MODE, mode);
  update({ mode }, "mode");
}

function noteRevision(revision) {
  if (revision) update({ revision });
}

// A run that is started brings the panels and their revision. The tables follow the runs, and so request nothing
// while none is open. Neither is a callback: Dash would visit the whole page several times for each.
function followPanels(place) {
  const noteListed = () => update({ revision: place.dataset.revision });
  new MutationObserver(noteListed).observe(place, { attributes: true, attributeFilter: ["data-revision"] });
  const compare = () => isCompared(state.mode, state.compareTab) && setProps(ID.comparedRuns, { data: comparedRuns() });
  new MutationObserver(compare).observe(place, { childList: true });
}

function noteCompared(mode, compareTab) {
  update({ compareTab });
  return isCompared(mode, compareTab) ? comparedRuns() : noUpdate();
}

const isCompared = (mode, tab) => mode === "compare" && tab !== null;

const comparedRuns = () => [...byId(ID.panels).children].flatMap(({ dataset: { place } }) => place ?? []);
