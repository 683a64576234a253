// The strip above a picture: how many held-out rows are told apart, and how many by guessing. Once a
// run has ended it says what the server makes of it, and what its check has found so far.
import { element, hide, span, write } from "../page/dom.mjs";
import { percent, unbroken } from "../page/number_text.mjs";
import { sendCommand } from "./commands.mjs";
import { addToPanels } from "./features.mjs";
import { isAsFound } from "./view_options.mjs";

/** @typedef {import("./panel.mjs").Panel} Panel */
/** @typedef {import("../types").Verdict} Verdict */

const SIGNS = { yes: "✔", partly: "~", no: "✘", unknown: "?" };

export function addVerdict() {
  addToPanels((panel) => {
    const strip = new Strip(panel);
    panel.node.addEventListener("panel:plane", () => strip.show());
    panel.node.addEventListener("panel:news", ({ detail: { verdict } }) => strip.receive(verdict));
  });
}

class Strip {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {Verdict | null} */
    this.verdict = null;
    this.shown = "";
    this.sign = span("", "sign");
    this.sign.setAttribute("aria-hidden", "true"); // the sentence says the same
    this.lead = document.createElement("strong");
    this.follow = span("");
    this.more = span("", "verdict-more"); // which narrow panels leave to the tables
    panel.part("verdict").replaceChildren(this.sign, this.lead, " ", this.follow, this.more);
    panel.part("stop-check").onclick = () => sendCommand(panel, "check/stop");
  }

  /** @param {Verdict | null} verdict */
  receive(verdict) {
    this.verdict = verdict;
    this.show();
  }

  // The news come every second: what is read out must not be written again without need.
  show() {
    const { panel } = this;
    if (!panel.plane) return;
    const isEdited = !panel.isLive || !isAsFound(panel.options);
    const verdict = isEdited || !this.verdict ? unjudged(panel) : this.verdict;
    this.showCheck();
    const { answer, lead, follow, notes } = verdict;
    const written = JSON.stringify([answer, lead, follow, notes]);
    if (written === this.shown) return;
    this.shown = written;
    panel.node.dataset.answer = answer;
    write(this.sign, SIGNS[answer] ?? "");
    write(this.lead, unbroken(lead));
    const [first, ...others] = follow.split(", ");
    write(this.follow, unbroken(first));
    write(this.more, unbroken(others.map((part) => `, ${part}`).join("")));
    this.showNotes(notes);
  }

  /** @param {string[]} notes */
  showNotes(notes) {
    const list = this.panel.part("verdict-notes");
    const title = notes.join(" ");
    if (list.title === title) return;
    list.replaceChildren(...notes.map((note) => element("li", "", note)));
    list.title = title;
  }

  showCheck() {
    const check = this.verdict?.check;
    const isBusy = Boolean(check && !check.is_final);
    const button = this.panel.part("check");
    button.disabled = !this.panel.isFinal;
    write(button, check ? "Details" : "Is it real?");
    button.dataset.command = check ? "details" : "check";
    hide(this.panel.part("stop-check"), !isBusy);
    const bar = this.panel.part("check-progress");
    hide(bar, !isBusy);
    if (isBusy) bar.value = check.fraction;
  }
}

/** @param {Panel} panel @returns {Verdict} */
function unjudged({ plane, figure }) {
  const { leads, follows } = verdictText(plane.numbers, figure?.classes.length);
  return { answer: "", lead: leads, follow: follows, notes: [], check: null };
}

/**
 * The share of the held-out rows first; that of the training rows where none are held out.
 * @param {Record<string, number | null>} numbers of a plane
 * @param {number | undefined} nClasses
 */
export function verdictText(numbers, nClasses) {
  const { "accuracy-seen": training, "accuracy-unseen": heldOut } = numbers;
  const guessing = nClasses ? `guessing: ${percent(1 / nClasses)}` : "";
  if (heldOut === null) {
    const follows = [guessing, "a class has no held-out row"].filter(Boolean).join(", ");
    return { leads: `${capitalized(percent(training))} of training rows are told apart`, follows };
  }
  const follows = [guessing, `training rows: ${percent(training)}`].filter(Boolean).join(", ");
  return { leads: `${capitalized(percent(heldOut))} of held-out rows are told apart`, follows };
}

const capitalized = (text) => text[0].toUpperCase() + text.slice(1);
