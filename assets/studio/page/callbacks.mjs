// The mode, which Dash renders and the scripts follow.
import { ID } from "../constants.mjs";
import { state, update } from "../state.mjs";
import { noUpdate, provideCallbacks, setProps } from "./dash.mjs";
import { byId, whenPresent } from "./dom.mjs";

const REMEMBERED_MODE = "mode"; // in the storage of the tab

export function connectControls() {
  provideCallbacks({ setMode, noteRevision, noteListed: noteRevision, noteCompared });
  document.body.dataset.mode = state.mode;
  document.addEventListener("keydown", runByKey);
  const mode = sessionStorage.getItem(REMEMBERED_MODE);
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

// The runs that are compared: the tables follow these, and so request nothing while none is open.
function noteCompared(tabs, mode, table) {
  const isOpen = mode === "compare" && table !== null;
  return isOpen ? (tabs ?? []).map(({ props }) => props["data-tab"]) : noUpdate();
}
