// Run commands: stop, pause, step, resume, run again, remove, refine; and the windows on a run.
import { ID } from "../constants.mjs";
import { refusalOf } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { addToPanels } from "./features.mjs";

const SHOWN = {
  running: ["pause"],
  paused: ["pause", "step"],
  failed: ["again"],
  cancelled: ["again"],
  lost: ["again"],
};
const WINDOWS = { check: ID.checkAsked, surface: ID.surfaceAsked };

export function addRunCommands() {
  addToPanels((panel) => {
    for (const name of ["stop", "step", "again", "remove"]) {
      panel.part(name).onclick = () => send(panel, name);
    }
    panel.part("pause").onclick = () => send(panel, panel.node.dataset.state === "paused" ? "resume" : "pause");
    for (const [name, store] of Object.entries(WINDOWS)) {
      const button = panel.part(name); // three components have no decision surface
      if (button) button.onclick = () => openWindow(store, panel.run);
    }
    const refine = panel.part("refine");
    if (refine) refine.onclick = () => send(panel, refinePath(panel));
    panel.node.addEventListener("panel:news", ({ detail: { state } }) => showFitting(panel, state));
  });
}

// Only the commands that a run in this state can follow.
function showFitting(panel, state) {
  for (const name of ["pause", "step", "again"]) {
    panel.part(name).style.display = SHOWN[state]?.includes(name) ? "" : "none";
  }
  panel.part("pause").textContent = state === "paused" ? "Resume" : "Pause";
}

// Begins at the plane on screen, with the kernel width on screen.
function refinePath(panel) {
  return `planes/${panel.plane.sequence}/refine?${panel.query({ toward: null, from: null })}`;
}

// Errors are shown above the Run button.
async function post({ run }, path) {
  const answer = await fetch(`runs/${run}/${path}`, { method: "POST" });
  if (!answer.ok) {
    setProps(ID.runError, { children: await refusalOf(answer) });
    return;
  }
  const { revision, words: message } = answer.status === 204 ? {} : await answer.json();
  if (revision) setProps(ID.revision, { data: revision });
  if (message) setProps(ID.runError, { children: message });
}

const send = (panel, path) => post(panel, path).catch(console.warn);

// The time makes a second request about the same run another value of the store.
const openWindow = (store, run) => setProps(store, { data: { run, asked: Date.now() } });
