// Comparing runs: the reference run that the others are aligned with, and the order of the table.
import { ask, requested } from "../page/answers.mjs";
import { update } from "../page/dash.mjs";
import { byId, changeSoon, onClick } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";
import { switches } from "../page/switches.mjs";
import { sendCommand } from "./commands.mjs";
import { addToPanels } from "./features.mjs";
import { alignWith, allPanels, panelRuns, reference, referenceRun, shownPanels } from "./panels.mjs";
import { hiddenRuns, showInCompare } from "./runs.mjs";
import { isOwnPlane } from "./view_options.mjs";

const FOLLOWED_EVERY_MS = 1000;

export function connectComparison() {
  onClick("#check-all", checkAll);
  document.addEventListener("change", ({ target }) => {
    const { dataset, checked } = /** @type {HTMLInputElement} */ (target);
    if (dataset.showsRun) showInCompare(dataset.showsRun, checked);
  });
  addToPanels((panel) => {
    panel.part("anchor").onclick = () => alignWith(panel.run);
    panel.node.addEventListener("panel:options", noteChanged);
    for (const event of ["panel:news", "panel:refitted"]) panel.node.addEventListener(event, followSoon);
  });
  onChange([switches.aligned, reference, mode], markReference);
  onChange(mode, () => followRuns());
  onChange(hiddenRuns, () => followPair().catch(console.warn));
  onChange(panelRuns, () => {
    // A run that has just begun has nothing to compare yet.
    if (allPanels().some(({ plane, isFinal }) => !plane && !isFinal)) followSoon();
    else followRuns();
    markReference();
  });
  onClick("[data-sort]", ({ dataset }) => sortBy(dataset));
}

// The list of the runs, what two of them differ in, and the table: a script asks the server, as Dash would visit the
// whole page several times with every run that is added.

let order = ""; // of the rows of the table, as a query
/** @type {Record<string, number>} */
const asked = {}; // how often, by what was asked for
let shownPair = ""; // the markup of what two runs differ in
let soon = 0; // the timer

/** @param {(write: () => void) => void} [when] what is found is written */
function followRuns(when = (write) => write()) {
  if (mode.value !== "compare") return;
  writeScores(panelRuns.value, when).catch(console.warn);
  followPair(when).catch(console.warn);
}

// News of several runs come many times a second.
function followSoon() {
  if (mode.value !== "compare") return;
  soon ||= setTimeout(() => {
    soon = 0;
    followRuns(changeSoon);
  }, FOLLOWED_EVERY_MS);
}

async function writeScores(runs, when) {
  const isNewest = noteAsked("scores");
  const found = runs.length ? await ask(`compare/scores?${namesOf(runs)}${order}`) : { list: "", table: "" };
  when(() => {
    if (!isNewest()) return;
    update(byId("compared-list"), found.list);
    update(byId("compared"), found.table);
    tickShown();
  });
}

// The two whose pictures are ticked, once both have a plane.
async function followPair(when = (write) => write()) {
  const isNewest = noteAsked("pair");
  const ticked = allPanels().filter(({ run }) => !hiddenRuns.value.has(run));
  const isPair = ticked.length === 2 && ticked.every(({ plane }) => plane);
  const answer = isPair && (await requested(`compare/pair.html?${namesOf(ticked.map(({ run }) => run))}`));
  const found = answer ? await answer.text() : "";
  when(() => {
    if (!isNewest() || found === shownPair) return;
    shownPair = found; // what is the same keeps the row that is marked
    update(byId("pair"), found);
  });
}

/** Whether nobody has asked again. @param {string} name */
function noteAsked(name) {
  const number = (asked[name] = (asked[name] ?? 0) + 1);
  return () => number === asked[name];
}

function tickShown() {
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-shows-run]"))) {
    box.checked = !hiddenRuns.value.has(box.dataset.showsRun);
  }
}

const namesOf = (runs) => new URLSearchParams(runs.map((run) => ["run", String(run)]));

function checkAll() {
  for (const panel of shownPanels()) {
    const { disabled, hidden } = panel.part("check");
    if (!disabled && !hidden) sendCommand(panel, "analyses/check");
  }
}

// The tables are about the planes that the runs found, also where a picture shows another one.
function noteChanged() {
  const changed = allPanels().filter(({ options }) => !isOwnPlane(options));
  const names = changed.map(({ node }) => node.dataset.title).join(", ");
  const note = byId("changed-note");
  if (note) note.textContent = names && `${names}: the picture shows a changed plane, the tables the plane of the run.`;
}

function markReference() {
  const run = referenceRun();
  for (const panel of allPanels()) {
    const isReference = panel.run === run;
    panel.node.classList.toggle("is-reference", isReference);
    panel.part("anchor").setAttribute("aria-pressed", isReference);
  }
}

/** @param {DOMStringMap} dataset of a column head */
function sortBy({ sort, descending }) {
  order = `&sort=${sort}${descending === "true" ? "&descending" : ""}`;
  followRuns();
}
