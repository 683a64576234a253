// What the server finds out about a run, in elements that name their part: its markup, the figures in it, and choices
// by which the server is asked again. While it is computed, it is followed, and it can be stopped and begun again.
import { ask, requested, sentenceOf } from "../page/answers.mjs";
import { setProps, update } from "../page/dash.mjs";
import { colorScheme, onColorScheme, wait, write } from "../page/dom.mjs";
import { draw } from "../plane/plotly.mjs";

const FOLLOWED_EVERY_MS = 1000;

export class Found {
  /** @param {any} place which it is shown in: a dialog, or a part of the page */
  constructor(place) {
    this.dialog = place;
    this.content = this.part("content");
    this.address = ""; // what is asked
    /** @type {Record<string, string>} */
    this.asked = {}; // of the choices, by name
    /** @type {any} */
    this.found = null; // the last answer
    this.nAsked = 0; // how often, so that the answer to the last question is shown
    this.nFollowed = 0; // how often it was followed, so that one loop does
    this.config = {}; // of figures
    this.content.addEventListener("click", ({ target }) => this.press(target.closest("button")));
    this.content.addEventListener("input", ({ target: { dataset, value } }) => dataset.choice && this.choose(dataset.choice, value));
    this.part("stop").onclick = () => this.send(`${this.address}/stop`);
    this.part("begin").onclick = () => this.compute().catch(console.warn);
    onColorScheme(() => place.open && this.load().catch(console.warn));
  }

  /** @param {string} name @returns {any} */
  part(name) {
    return this.dialog.querySelector(`[data-beside="${name}"]`);
  }

  /** An element that scripts fill. @param {string} name @returns {any} */
  kept(name) {
    return this.content.querySelector(`[data-kept="${name}"]`);
  }

  /** What is asked for. */
  query() {
    return new URLSearchParams({ scheme: colorScheme(), ...this.asked });
  }

  /** Asks, and shows the answer; whether there is anything. What came to another question meanwhile is dropped. */
  async load() {
    const number = (this.nAsked += 1);
    const found = await ask(`${this.address}?${this.query()}`);
    if (number === this.nAsked && found.run !== null) {
      this.found = found;
      this.show();
    }
    return found.run !== null;
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

  /** Shows what was found. */
  show() {
    const { markup, words, stage, fraction, is_final: isFinal, can_begin: canBegin } = this.found;
    write(this.part("words"), words);
    this.part("progress").value = fraction;
    this.part("progress").hidden = this.part("stop").hidden = isFinal;
    this.part("begin").hidden = !canBegin;
    this.part("stage").textContent = isFinal && !canBegin ? "" : stage;
    update(this.content, markup);
    this.drawFigures().catch(console.warn);
  }

  async drawFigures() {
    for (const [name, { data, layout }] of Object.entries(this.found.figures)) {
      await draw(this.kept(name), data, layout, this.config);
    }
  }

  /** @param {string} name @param {string} value */
  choose(name, value) {
    this.asked[name] = value;
    this.load().catch(console.warn);
  }

  /** @param {HTMLButtonElement | null} button */
  press(button) {
    const { choice, value, runs, isolate } = button?.dataset ?? {};
    if (choice) this.choose(choice, value);
    if (isolate) this.close(); // two classes are shown alone
    if (runs) this.begin(runs).catch(console.warn);
  }

  close() {
    this.dialog.close();
  }

  // The run of a view, beside this one: as a link to such a run would show it.
  async begin(address) {
    const { view } = await ask(address);
    this.close();
    setProps("wanted", { data: { view, quiet: true } });
  }
}
