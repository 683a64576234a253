// What the buttons of a panel do: stop, pause, step, resume, continue, remove, refine and rename the run, open windows
// on it, bring everything into sight again, and draw its rows as fitted or as unseen.
import { ask, requested, sentenceOf, showFailure } from "../page/answers.mjs";
import { setProps } from "../page/dash.mjs";
import { hide, write } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { unbroken } from "../page/number_text.mjs";
import { followRevision } from "./run_list.mjs";
import { bringToFront } from "./runs.mjs";

/** @param {Panel} panel */
export function addCommands(panel) {
  for (const name of ["step", "continue"]) panel.part(name).onclick = () => sendCommand(panel, name);
  panel.part("stop").onclick = () => stop(panel);
  panel.part("remove").onclick = () => remove([panel]).catch(console.warn);
  panel.part("pause").onclick = () => sendCommand(panel, panel.node.dataset.state === "paused" ? "resume" : "pause");
  panel.part("check").onclick = () => sendCommand(panel, "analyses/check");
  const refine = panel.part("refine");
  if (refine) refine.onclick = () => sendCommand(panel, refinePath(panel));
  panel.node.addEventListener("panel:news", ({ detail: { state } }) => nameFitting(panel, state));
  panel.title.onclick = () => rename(panel);
  panel.part("fit").onclick = () => panel.painting.look(null);
  for (const button of placesOf(panel)) button.onclick = () => showPlaces(panel, button.dataset.places);
  panel.node.addEventListener("panel:plane", ({ detail }) => describePlaces(panel, detail));
}

// The run ends at its next plane; the page answers at once.
function stop(panel) {
  panel.part("words").textContent = "Stopping";
  return sendCommand(panel, "stop");
}

/** Removing asks nothing, and can be undone. @param {Panel[]} panels */
export async function remove(panels) {
  for (const panel of panels) await sendCommand(panel, "remove");
  const [{ node }] = panels;
  const removed = panels.length > 1 ? `${panels.length} runs were removed.` : `${node.dataset.title} was removed.`;
  const putBack = async () => {
    for (const panel of panels) await sendCommand(panel, "undo-removal");
  };
  showNotice(removed, { action: { label: "Undo", act: () => putBack().catch(console.warn) } });
}

// Styles hide the commands that a run in this state cannot follow.
function nameFitting(panel, state) {
  write(panel.part("pause"), state === "paused" ? "Resume" : "Pause");
  write(panel.part("continue"), state === "failed" ? "Try again" : "Continue");
}

// Begins at the plane on screen, with the kernel width on screen.
const refinePath = (panel) => `planes/${panel.plane.sequence}/refine?${panel.query({ toward: null, view_angle: null })}`;

/**
 * Sends a command to the server, whose refusal is shown above the Run button.
 * @param {Panel} panel
 * @param {string} path
 * @param {string | null} [body]
 */
export async function sendCommand({ run }, path, body = null) {
  const answer = await requested(`runs/${run}/${path}`, body).catch(sentenceOf);
  const isText = typeof answer === "string";
  const { revision, words } = isText ? { words: answer } : answer.status === 204 ? {} : await answer.json();
  followRevision(revision);
  if (words) setProps("run-error", { children: words });
}

/** Runs the method of a run again, on its table without some columns. @param {Panel} panel @param {string[]} columns */
export const runWithout = ({ run }, columns) =>
  ask(`runs/${run}/leave-out-columns`, { columns }).then(showOnItsTable, showFailure);

/** Shows a run of a table that a command has changed, once that is there. @param {{ choice: object, revision: string, run: string }} answer */
export function showOnItsTable({ choice, revision, run }) {
  setProps("choice", { data: choice });
  followRevision(revision);
  bringToFront(run);
}

// The title of a run, renamed in its place: a click or Enter begins, Enter keeps the new one, Escape the
// old one; an empty one gives back that of the settings.

const LONGEST = 80; // characters, as the server takes them

function rename(panel) {
  const { title } = panel;
  const field = document.createElement("input");
  Object.assign(field, { className: "title-field", maxLength: LONGEST, value: panel.node.dataset.title });
  field.setAttribute("aria-label", "Name of the run");
  let hasEnded = false;
  const end = (isKept) => {
    if (hasEnded) return; // the field loses the focus as it goes
    hasEnded = true;
    const name = field.value.trim();
    field.replaceWith(title);
    if (!isKept || name === panel.node.dataset.title) return;
    if (name) title.textContent = name;
    sendCommand(panel, "rename", name);
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page has keys of its own
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    end(event.key === "Enter");
    title.focus();
  });
  field.addEventListener("blur", () => end(true));
  title.replaceWith(field);
  field.select();
}

// Where the rows of a run are drawn once its refits are done: where planes that never saw them put them, or as fitted.

/** Shows the other state of a panel that has two. @param {Panel | null} panel */
export function switchPlaces(panel) {
  const state = panel?.plane?.places?.state;
  if (state) showPlaces(panel, state === "unseen" ? "fitted" : "unseen");
}

/** @param {Panel} panel @param {string} state */
const showPlaces = (panel, state) => panel.changeView({ places: state === "fitted" ? "fitted" : null });

/** @param {Panel} panel @returns {HTMLButtonElement[]} */
const placesOf = (panel) => [...panel.part("places").querySelectorAll("[data-places]")];

/** @param {Panel} panel @param {Plane} plane */
function describePlaces(panel, { places, has_held_out: hasHeldOut }) {
  panel.node.classList.toggle("has-held-out", hasHeldOut);
  panel.node.toggleAttribute("data-two-places", Boolean(places?.state));
  panel.node.toggleAttribute("data-blurred", Boolean(places?.warning));
  hide(panel.part("places"), !places);
  if (!places) return;
  for (const button of placesOf(panel)) {
    hide(button, !places.state);
    button.setAttribute("aria-pressed", String(button.dataset.places === places.state));
  }
  write(panel.part("blur"), unbroken(places.warning));
  write(panel.part("moves"), unbroken(places.words));
}
