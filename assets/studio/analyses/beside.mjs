// A dialog beside the picture, which stays in use: shows what a run about the front run has found,
// and follows it while it is at work.
import { ask, requested, sentenceOf } from "../page/answers.mjs";
import { onColorScheme, wait } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";

const FOLLOWED_EVERY_MS = 1000;

/** @type {Beside | null} */
let front = null; // one at a time

export class Beside {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {string} name of the route, and of what is asked for in its answer
   * @param {string[]} events of the panel after which the dialog looks at it
   */
  constructor(dialog, name, events = ["panel:options"]) {
    this.dialog = dialog;
    this.name = name;
    this.address = name; // of the route
    this.answered = name; // in its answer, null where nothing was asked for
    this.events = events;
    this.listening = new AbortController(); // to the panel
    /** @type {any} */
    this.found = null; // the last answer
    /** @type {Panel | null} */
    this.panel = null;
    this.nLoaded = 0; // requests, so that the answer to the last one is shown
    this.nFollowed = 0; // how often it was followed, so that one loop does
    this.playing = 0; // which motion is on; 0 for none
    /** @type {HTMLElement} */ (dialog.querySelector("[data-closes]")).onclick = () => this.close();
    this.part("stop").onclick = () => this.send(`${this.address}/stop`);
    this.part("begin").onclick = () => this.begin().catch(console.warn);
    dialog.addEventListener("keydown", (event) => this.press(event));
    onColorScheme(() => dialog.open && this.load().catch(console.warn));
  }

  /** @param {string} name @returns {any} */
  part(name) {
    return this.dialog.querySelector(`[data-beside="${name}"]`);
  }

  /** Shows what there is about a run; begins it if there is nothing. @param {Panel} panel */
  open(panel) {
    if (front !== this) front?.close();
    front = this;
    this.playing = 0;
    if (this.panel !== panel) {
      this.forget();
      this.panel = panel;
      this.listen();
    }
    document.body.dataset.beside = this.name; // the stage leaves it room
    if (!this.dialog.open) this.dialog.show();
    const number = (this.nFollowed += 1);
    const isWanted = () => number === this.nFollowed; // not closed, nor opened for another run meanwhile
    this.load()
      .then((isKnown) => isWanted() && (isKnown && !this.isOutdated() ? this.follow() : this.begin()))
      .catch((error) => this.panel === panel && showNotice(sentenceOf(error)));
  }

  listen() {
    this.listening.abort();
    this.listening = new AbortController();
    const { signal } = this.listening;
    this.panel.node.addEventListener("panel:removed", () => this.leave(), { signal });
    for (const event of this.events) this.panel.node.addEventListener(event, () => this.look(), { signal });
  }

  close() {
    this.nFollowed += 1;
    this.playing = 0;
    if (!this.dialog.open) return;
    delete document.body.dataset.beside;
    this.dialog.close();
    if (!this.panel.isDisposed) this.panel.part("plot").focus();
  }

  // The run was removed, which the page says by itself; if it is put back, it has another panel.
  leave() {
    this.close();
    this.listening.abort();
    this.nLoaded += 1; // an answer on its way is about nothing
    this.forget();
    this.panel = null;
  }

  async begin() {
    if (!(await this.send(`${this.address}?${this.wanted()}`))) return;
    await this.load();
    await this.follow();
  }

  /** What it is to be begun with, beside the run. */
  wanted() {
    return new URLSearchParams();
  }

  /** Whether what was found is about something else than what it would be begun with. */
  isOutdated() {
    return false;
  }

  async send(path) {
    try {
      await requested(`runs/${this.panel.run}/${path}`, {});
      return true;
    } catch (error) {
      this.part("words").textContent = sentenceOf(error);
      return false;
    }
  }

  // Until all is found or the dialog is closed.
  async follow() {
    const number = (this.nFollowed += 1);
    while (number === this.nFollowed && this.found && !this.found.is_final) {
      await wait(FOLLOWED_EVERY_MS);
      if (number === this.nFollowed) await this.load();
    }
  }

  /** Loads and shows what is found; whether there is anything. */
  async load() {
    const number = (this.nLoaded += 1);
    const found = await ask(`runs/${this.panel.run}/${this.address}?${this.query()}`);
    if (number !== this.nLoaded || found[this.answered] === null) return found[this.answered] !== null;
    this.found = found;
    this.showProgress(found);
    this.show();
    return true;
  }

  showProgress({ words, stage, fraction, is_final: isFinal, can_begin: canBegin }) {
    if (this.part("words").textContent !== words) this.part("words").textContent = words;
    this.part("progress").value = fraction;
    this.part("progress").hidden = this.part("stop").hidden = isFinal;
    this.part("begin").hidden = !canBegin;
    this.part("stage").textContent = isFinal && !canBegin ? "" : stage;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.key !== "Escape") return;
    this.close();
    event.preventDefault();
    event.stopPropagation();
  }

  /** What is asked for, beside the run. */
  query() {
    return new URLSearchParams();
  }

  /** Forgets what is known of a run. */
  forget() {
    this.found = null;
  }

  /** Shows what is found. */
  show() {}

  /** The picture shows another plane. */
  look() {}
}
