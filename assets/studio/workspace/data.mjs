// The data: a drop zone, which takes a file dropped anywhere on the page, or chosen by click or keyboard, uploads it
// and hands its key to the page; the menu of data sets used before; the window of the columns.
import { LAST_SOURCE } from "../constants.mjs";
import { ask, formOf, sentenceOf } from "../page/answers.mjs";
import { noUpdate, provideCallbacks, setProps } from "../page/dash.mjs";
import { byId, onClick, takeFiles, whenPresent } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { whenLoaded } from "../page/notice.mjs";
import { waitingWords } from "../page/repeated.mjs";
import { endChoice, showSheet } from "../page/sheet.mjs";
import { onChange } from "../page/signals.mjs";
import { openRun } from "../panel/front_run.mjs";
import { runHere } from "../panel/new_runs.mjs";
import { noteArriving, shownData } from "../panel/run_list.mjs";
import { isProject, openProject } from "./project.mjs";

const MEGABYTE = 2 ** 20;
const PREPARING = "Reading and preparing the table";
const UNCHANGED_MS = 1000; // within which Dash begins to prepare a table, and shows one that is prepared
const SHORT_MS = 400; // what takes no longer needs no words

let telling = 0;
let invitation = ""; // unless something is being done with a table

export function connectUpload() {
  acceptDrops();
  addEventListener("paste", paste);
  onClick("[data-draws]", async () => (await whenLoaded(import("./drawing.mjs")))?.openDrawing(runDrawing));
  whenPresent("#drop-zone:has(input)", (zone) => {
    takeFiles(zone.querySelector("input"), take); // of any kind: the server knows which it reads
    invitation = statusOf(zone).textContent;
  });
  whenPresent("#data-summary", (summary) => {
    const isLoading = () => summary.getAttribute("data-dash-is-loading") === "true";
    const observer = new MutationObserver(() => {
      tell(isLoading() ? PREPARING : null);
      if (isLoading()) noteArriving(true);
      else setTimeout(noteUnchanged, UNCHANGED_MS);
    });
    observer.observe(summary, { attributeFilter: ["data-dash-is-loading"] });
    onChange(shownData, () => noteArriving(false));
    onChange(waitingWords, (words) => isLoading() && tell(words || PREPARING));
  });
}

const statusOf = (zone) => zone.querySelector("[role=status]");

/** @param {string | null} words null once it is done */
function tell(words) {
  const write = (text) => {
    statusOf(byId("drop-zone")).textContent = text;
    byId("data-status").textContent = text === invitation ? "" : text; // the sheet may be closed
  };
  clearTimeout(telling);
  if (words === null) write(invitation);
  else telling = setTimeout(write, SHORT_MS, words);
}

/** A table copied from a spreadsheet or a text, unless it is pasted into a field. @param {ClipboardEvent} event */
function paste(event) {
  const target = /** @type {Element} */ (event.target);
  if (target.closest?.("input, textarea, [contenteditable], [role=dialog]")) return;
  const [file] = event.clipboardData.files;
  const text = event.clipboardData.getData("text/plain");
  if (!file && !text.trim().includes("\n")) return;
  event.preventDefault();
  take(text.trim() ? new File([text], "pasted.txt", { type: "text/plain" }) : file);
}

const tooLarge = ({ name, size }, most) =>
  `${name}: The file has ${Math.ceil(size / MEGABYTE).toLocaleString("en")} MB, and at most ` +
  `${most} MB can be read. Leave out columns or rows, or compress it as .gz.`;

function take(file) {
  if (isProject(file)) return openProject(file);
  return mode.value === "present" ? runOn(file) : upload(file);
}

// A room sees a table that is dropped run at once.
async function runOn(file) {
  if (await upload(file)) await runHere();
}

// The picture is what is to be seen next.
function runDrawing(file) {
  showSheet(false);
  byId("data-name").focus();
  return runOn(file);
}

/** Resolves to whether the file is taken. @param {File} file */
async function upload(file) {
  const zone = byId("drop-zone");
  const most = Number(zone.dataset.megabytes);
  if (file.size > most * MEGABYTE) return showError(tooLarge(file, most));
  zone.dataset.state = "sending";
  endChoice();
  tell(`Sending ${file.name}`);
  noteArriving(true);
  showError(null);
  try {
    const { key, name } = await ask("upload", formOf(file));
    setProps("choice", { data: { kind: "upload", key, name, label: null, standardize: true } });
    setTimeout(noteUnchanged, UNCHANGED_MS);
    return true;
  } catch (error) {
    noteArriving(false);
    return showError(`${file.name}: ${sentenceOf(error)}`);
  } finally {
    delete zone.dataset.state;
    tell(null);
  }
}

// What is shown already is not shown again, nor is a table that cannot be read.
function noteUnchanged() {
  const isSent = byId("drop-zone").dataset.state !== "sending";
  if (isSent && byId("data-summary").getAttribute("data-dash-is-loading") !== "true") noteArriving(false);
}

function showError(sentence) {
  setProps("data-error", { children: sentence });
  return false;
}

function acceptDrops() {
  let depth = 0; // of the element under the pointer, among those entered
  const mark = (isOver) => document.body.classList.toggle("is-dropping", isOver);
  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragenter", (event) => isFile(event) && mark(++depth > 0));
  addEventListener("dragleave", (event) => isFile(event) && mark(--depth > 0));
  addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    mark((depth = 0) > 0);
    const [file] = event.dataTransfer.files;
    if (!file) return;
    // On a picture with a plane, the rows of the file are placed in that plane; but a room sees the file itself.
    const picture = /** @type {Element} */ (event.target).closest?.("[data-sequence] .picture");
    if (picture && mode.value !== "present" && !isProject(file)) picture.closest("[data-run]").dispatchEvent(new CustomEvent("panel:file", { detail: file }));
    else take(file);
  });
}

// The data sets used before: the browser remembers them, and a menu lists them with their runs.

const MOST_REMEMBERED = 8;

export function connectDataMenus() {
  provideCallbacks({ rememberData });
  onClick("[data-source]", ({ dataset: { source, runToShow } }) => {
    endChoice();
    if (runToShow) openRun(runToShow);
    setProps("choice", { data: JSON.parse(source) });
  });
}

// The newest first, in place of earlier preparations of the same file.
function rememberData(data, remembered) {
  if (!data) return noUpdate();
  const { source } = data;
  localStorage.setItem(LAST_SOURCE, JSON.stringify(source)); // for tabs that are opened from now on; each has its own
  const others = (remembered ?? []).filter(({ kind, key }) => kind !== source.kind || key !== source.key);
  return [source, ...others].slice(0, MOST_REMEMBERED);
}

// Dash renders the rows of the window of the columns, and the questions of the sheet, again after
// every choice, and the focus returns to where it was; errors that occur while the window is open
// are shown in it.

const CONTROLS = "#columns-table [id], #data-summary .is-toggle";

let focused = null; // the name of the control that had the focus

export function connectColumns() {
  provideCallbacks({ complainOfColumns: columnsError, dataOfDialog });
  document.addEventListener("focusin", remember);
  whenPresent("#columns-table > table, #data-summary .is-toggle", restore);
}

function remember({ target }) {
  focused = target.closest(CONTROLS) ? nameOf(target) : null;
}

// Questions change their places once they are answered.
function nameOf(control) {
  const question = control.closest("#data-summary [role=group]");
  return question ? `${question.ariaLabel}: ${control.textContent}` : control.id;
}

// A question that is answered is folded away.
function restore() {
  if (!focused || document.activeElement !== document.body) return;
  const controls = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(CONTROLS)]);
  const control = controls.find((each) => nameOf(each) === focused);
  (control?.closest("details:not([open])")?.querySelector("summary") ?? control)?.focus();
}

const dataOfDialog = (opened, data) => (opened && data ? data : noUpdate());

function columnsError(error, opened) {
  const { triggered } = window.dash_clientside.callback_context;
  const isOpening = triggered.some(({ prop_id: id }) => id === "columns.opened");
  if (isOpening) return null;
  return opened ? error : noUpdate();
}
