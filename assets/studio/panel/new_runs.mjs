// Run: starts what the method line says, or offers the run that there is already.
import { ask, sentenceOf } from "../page/answers.mjs";
import { propsOf, setProps } from "../page/dash.mjs";
import { byId, onClick } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { showNotice } from "../page/notice.mjs";
import { once } from "../page/signals.mjs";
import { nextFrame } from "../plane/clock.mjs";
import { firstLook } from "../plane/first_look.mjs";
import { openRun } from "./front_run.mjs";
import { allPanels } from "./panels.mjs";
import { isArriving, runList, shownData, takeList } from "./run_list.mjs";
import { noteStarted } from "./runs.mjs";

const WAITS_FOR_TABLE = "The run begins as soon as the table is there.";
const LONGEST_WAIT_MS = 3000; // for the first plane

let isStarting = false;
let begunAt = -Infinity; // on the first page

export function connectRun() {
  onClick("#run", runHere);
  onClick("#run-several", () => startHere("runs/batch", batch()));
}

/** Runs what the method line says, on a stage also what was run before: a room sees it live. */
export const runHere = () => startHere("runs", mode.value === "present" ? { again: true } : {});

// A table on its way is what is to be run on, not the one that is still shown; one that cannot be read says so.
async function startHere(address, choices = {}) {
  if (isArriving.value) {
    showNotice(WAITS_FOR_TABLE, { briefly: true });
    await once([isArriving], (isOnItsWay) => !isOnItsWay);
    showNotice(null);
    if (byId("data-error")?.textContent) return;
    await once([runList, shownData], (list, data) => list.data === data);
    await firstLook(); // from which its first run goes on
  }
  await startFrom({ data: shownData.value, form: form(), ...choices }, address);
}

const startFrom = async (body, address) => complain(await start(body, address));

/**
 * Begins with the data of a first look, by a method or without one by that of the form.
 * @param {object} data
 * @param {string | undefined} method
 */
export async function begin(data, method) {
  const chosen = method && { method };
  if (method) setProps("method", { value: method });
  begunAt = performance.now();
  // Before Dash is there, the form is as it is at first.
  const refusal = await start({ data, form: propsOf("method") ? { ...form(), ...chosen } : { ...chosen } }, "runs");
  if (refusal) begunAt = -Infinity;
  return refusal;
}

/** Resolves once a run that was just begun shows a plane, or cannot soon: nothing else is to delay that. */
export async function firstPlane() {
  while (performance.now() < begunAt + LONGEST_WAIT_MS && !allPanels().some(({ plane }) => plane)) await nextFrame();
}

/** What the controls hold, as the server takes it; the settings of a method have names in their ids. */
function form() {
  const ids = [...byId("settings").querySelectorAll('[id^="{"][id$="}"]')].map(({ id }) => JSON.parse(id));
  const value = (id) => propsOf(id).value;
  return {
    method: value("method"),
    n_components: value("n-components"),
    gamma: value("gamma"),
    is_auto: Boolean(propsOf("gamma-auto").data),
    n_init: value("n-init"),
    random_state: value("random-state"),
    held_out_percent: value("held-out"),
    curves: value("curves"),
    own: Object.fromEntries(ids.map((id) => [id.name, value(id)])),
  };
}

const batch = () => ({
  methods: propsOf("several-methods").value ?? [],
  gammas: propsOf("several-gammas").value ?? [],
  both: Boolean(propsOf("several-both").checked),
});

/** Resolves to a sentence if not all of it was started. @returns {Promise<string | null>} */
async function start(body, address) {
  if (isStarting) return null; // pressed twice
  isStarting = true;
  try {
    const { same, words, notice } = await takeList(body.data, post(address, body));
    if (same) offer(same, body);
    if (notice) showNotice(notice, { briefly: true });
    return words ?? null;
  } catch (error) {
    return sentenceOf(error);
  } finally {
    isStarting = false;
  }
}

async function post(address, body) {
  const answer = await ask(address, body);
  answer.runs?.forEach(noteStarted);
  return answer;
}

// Dash visits the whole page for the same text again.
function complain(words) {
  if (words || byId("run-error")?.textContent) setProps("run-error", { children: words });
}

// Shows the run that equals the one that was to start.
function offer({ run, title }, body) {
  const act = () => startFrom({ ...body, again: true }, "runs");
  showNotice(`This run is here already: ${title}.`, { action: { label: "Run it again", act } });
  openRun(run);
}
