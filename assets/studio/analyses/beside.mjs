// A dialog beside the picture, which stays in use: shows what a run about the front run has found,
// and follows it while it is at work.
import { sentenceOf } from "../page/answers.mjs";
import { update } from "../page/dash.mjs";
import { byId } from "../page/dom.mjs";
import { showNotice } from "../page/notice.mjs";
import { Found } from "./found.mjs";

/** @type {View | null} */
let front = null; // one at a time

export class View extends Found {
  /**
   * @param {string} name of the analysis
   * @param {string[]} events of the panel after which the dialog looks at it
   */
  constructor(name, events = ["panel:options"]) {
    super(byId(`analysis-${name}`));
    this.name = name;
    this.events = events;
    this.listening = new AbortController(); // to the panel
    /** @type {Panel | null} */
    this.panel = null;
    /** @type {any} */ (this.dialog.querySelector("[data-closes]")).onclick = () => this.close();
    this.dialog.addEventListener("keydown", (event) => this.pressKey(event));
  }

  /**
   * Shows what there is about a run; begins it if there is nothing.
   * @param {Panel} panel
   * @param {string} [address] that answers
   * @param {Record<string, string>} [asked] chosen before
   */
  open(panel, address = `runs/${panel.run}/analyses/${this.name}`, asked = {}) {
    if (front !== this) front?.close();
    front = this;
    if (this.panel !== panel || this.address !== address) {
      this.forget();
      Object.assign(this, { panel, address, asked });
      this.listen();
    }
    document.body.dataset.beside = this.name; // the stage leaves it room
    if (!this.dialog.open) this.dialog.show();
    const number = (this.nFollowed += 1);
    const isWanted = () => number === this.nFollowed; // not closed, nor opened for another run meanwhile
    this.load()
      .then((isKnown) => isWanted() && (isKnown && !this.isOutdated() ? this.follow() : this.compute()))
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
    if (!this.dialog.open) return;
    delete document.body.dataset.beside;
    this.dialog.close();
    if (!this.panel.isDisposed) this.panel.part("plot").focus();
  }

  // The run was removed, which the page says by itself; if it is put back, it has another panel.
  leave() {
    this.close();
    this.listening.abort();
    this.nAsked += 1; // an answer on its way is about nothing
    this.forget();
    this.panel = null;
  }

  /** What it is to be begun with, beside the run. */
  wanted() {
    return new URLSearchParams();
  }

  /** Whether what was found is about something else than what it would be begun with. */
  isOutdated() {
    return false;
  }

  begun() {
    return this.send(`${this.address}?${this.wanted()}`);
  }

  /** @param {KeyboardEvent} event */
  pressKey(event) {
    if (event.key !== "Escape") return;
    this.close();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Forgets what is known of a run. */
  forget() {
    this.found = null;
    this.asked = {};
    update(this.content, "");
  }

  /** The picture shows another plane. */
  look() {}
}
