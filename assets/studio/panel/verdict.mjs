// The strip above a picture, as the server writes it: of the best plane so far or, of one that was chosen or changed, of the
// plane on screen and, once a run has ended, of what its check has found so far. A screen reader is told once the words have stayed for a while.
import { byId, changeSoon, element, hide, onClick, write } from "../page/dom.mjs";
import { unbroken } from "../page/number_text.mjs";
import { onChange } from "../page/signals.mjs";
import { switches } from "../page/switches.mjs";
import { runWithout, sendCommand } from "./commands.mjs";
import { addToPanels } from "./features.mjs";
import { frontPanel } from "./panels.mjs";
import { Question, writeIn } from "./question.mjs";
import { addressOf, isOwnPlane } from "./view_options.mjs";

const SPOKEN_AFTER_MS = 400; // and a little
const SIGNS = { yes: "✔", partly: "~", no: "✘", unknown: "?" };

export function addVerdict() {
  onChange(switches.verdict, (isOn) => document.body.toggleAttribute("data-no-verdict", !isOn));
  addToPanels((panel) => {
    const strip = new Strip(panel);
    panel.node.addEventListener("panel:plane", () => strip.show());
    panel.node.addEventListener("panel:news", ({ detail }) => strip.receive(detail));
  });
}

class Strip {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {VerdictWords | null} */
    this.verdict = null;
    /** Of the best plane so far, where another may be passing by. @type {VerdictWords | null} */
    this.best = null;
    this.shown = "";
    this.speak = spokenOnce(panel.part("verdict-spoken"));
    this.speakState = spokenOnce(panel.part("words-spoken"));
    panel.part("stop-check").onclick = () => sendCommand(panel, "analyses/check/stop");
  }

  /** @param {News} news */
  receive({ verdict, best_strip: best, words }) {
    this.verdict = verdict;
    this.best = best ?? this.best;
    this.speakState(words);
    this.show();
  }

  // The news come every second: what is read out must not be written again without need.
  show() {
    const { panel } = this;
    if (!panel.plane) return;
    const isAnother = !panel.isLive || !isOwnPlane(panel.options); // another width of what is drawn finds nothing else
    const words = (isAnother ? null : (this.verdict ?? this.best)) ?? panel.plane.strip;
    this.showCheck();
    this.speak(words.spoken);
    const { answer, notes, tooltip } = words;
    const written = JSON.stringify(words);
    if (written === this.shown) return;
    this.shown = written;
    panel.node.dataset.answer = answer;
    write(panel.part("sign"), SIGNS[answer] ?? "");
    this.offer(words);
    for (const name of ["lead", "caution", "follow", "more"]) write(panel.part(name), unbroken(words[name]));
    const list = panel.part("verdict-notes");
    if (list.title === tooltip) return;
    list.replaceChildren(...notes.map((note) => element("li", "", note)));
    list.title = tooltip;
  }

  /** The run that may tell more. @param {VerdictWords} words */
  offer({ remedy: columns, offers_curves: offersCurves }) {
    const button = this.panel.part("remedy");
    hide(button, !columns.length && !offersCurves);
    write(button, offersCurves ? "Try curved features" : columns.length === 1 ? `Leave ${columns[0]} out` : "Leave them out");
    button.onclick = () => (offersCurves ? sendCommand(this.panel, "curved") : runWithout(this.panel, columns));
  }

  showCheck() {
    const check = this.verdict?.check;
    const isBusy = Boolean(check && !check.is_final);
    const button = this.panel.part("check");
    button.disabled = !this.panel.isFinal;
    hide(button, Boolean(check));
    hide(this.panel.part("stop-check"), !isBusy);
    const bar = this.panel.part("check-progress");
    hide(bar, !isBusy);
    if (isBusy) bar.value = check.fraction;
  }
}

/**
 * Writes what a screen reader says, once it has stayed the same for a while: planes follow each other many times a
 * second.
 * @param {Element} status
 */
export function spokenOnce(status) {
  let last = "";
  let waiting;
  return (text) => {
    if (text === last) return;
    last = text;
    clearTimeout(waiting);
    waiting = setTimeout(() => changeSoon(() => text === last && write(status, text)), SPOKEN_AFTER_MS);
  };
}

// What is said of a plane that stays, beside the strip: the picture in words, for those who do not see it, with the link
// that leads to it; and what its divergence consists of, once that number is pressed.

const STAYS_MS = 800;

export function addDescriptions() {
  addToPanels((panel) => {
    const [words, plot] = [panel.part("description"), panel.part("plot")];
    words.id = `description-${panel.run}`;
    plot.setAttribute("aria-describedby", words.id);
    // Of a run at work only while the picture has the focus.
    const address = () =>
      panel.isShown() &&
      (panel.isFinal || plot === document.activeElement) &&
      `runs/${panel.run}/description?${panel.query({ plane: panel.plane.sequence })}`;
    const tell = ({ words: said }) => said && changeSoon(() => write(words, said));
    const description = new Question(panel, address, tell, STAYS_MS);
    // The plane may arrive before the news that it is the last.
    for (const event of ["panel:plane", "panel:news"]) panel.node.addEventListener(event, () => description.soon());
    plot.addEventListener("focus", () => description.now());
    const place = panel.part("terms");
    const terms = new Question(panel, () => place.matches(":popover-open") && addressOf(panel, "terms"), writeIn(place));
    place.addEventListener("toggle", () => terms.now());
    panel.node.addEventListener("panel:plane", () => terms.soon());
  });
  // The first link of the page leads to the picture in front, or to the button that begins.
  onClick(".skip-link", (_, event) => {
    event.preventDefault(); // the address stays as it is
    (frontPanel()?.part("plot") ?? byId("panels").querySelector("button"))?.focus();
  });
}
