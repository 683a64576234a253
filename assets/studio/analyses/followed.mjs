// What is found out while it is computed: followed, stopped and begun again, in elements that name their part.
import { requested, sentenceOf } from "../page/answers.mjs";
import { wait, write } from "../page/dom.mjs";
import { Found } from "./found.mjs";

const FOLLOWED_EVERY_MS = 1000;

export class Followed extends Found {
  /** @param {any} place which it is shown in: a dialog, or a part of the page */
  constructor(place) {
    super(place, place.querySelector('[data-beside="content"]'));
    this.nFollowed = 0; // how often it was followed, so that one loop does
    this.part("stop").onclick = () => this.send(`${this.address}/stop`);
    this.part("begin").onclick = () => this.compute().catch(console.warn);
  }

  /** @param {string} name @returns {any} */
  part(name) {
    return this.dialog.querySelector(`[data-beside="${name}"]`);
  }

  async compute() {
    if (!(await this.begun())) return;
    await this.load();
    await this.follow();
  }

  /** Asks for it; whether it is on its way. */
  begun() {
    return this.send(this.address);
  }

  /** @param {string} path @param {object} [body] */
  async send(path, body = {}) {
    try {
      await requested(path, body);
      return true;
    } catch (error) {
      this.part("words").textContent = sentenceOf(error);
      return false;
    }
  }

  // Until all is found or it is out of sight.
  async follow() {
    const number = (this.nFollowed += 1);
    while (number === this.nFollowed && this.found && !this.found.is_final) {
      await wait(FOLLOWED_EVERY_MS);
      if (number === this.nFollowed) await this.load();
    }
  }

  show() {
    const { words, stage, fraction, is_final: isFinal, can_begin: canBegin } = this.found;
    write(this.part("words"), words);
    this.part("progress").value = fraction;
    this.part("progress").hidden = this.part("stop").hidden = isFinal;
    this.part("begin").hidden = !canBegin;
    this.part("stage").textContent = isFinal && !canBegin ? "" : stage;
    super.show();
  }
}
