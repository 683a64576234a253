// What the server finds out about a run, below the line that opens it: its sentence, its markup, the figures in it, and
// choices by which the server is asked again. While it is computed, it is followed, and it can be stopped and begun again.
import { ask, requested, sentenceOf } from "../page/answers.mjs";
import { setProps, update } from "../page/dash.mjs";
import { byId, colorScheme, onColorScheme, wait, write } from "../page/dom.mjs";
import { unbroken } from "../page/number_text.mjs";
import { clear, draw } from "../plane/plotly.mjs";

const FOLLOWED_EVERY_MS = 1000;
const COMPUTING = "Computing…";

/** By the places that they are shown in. @type {WeakMap<Element, Analysis>} */
const made = new WeakMap();

/** Asks for what is open in the colors of the page. */
export const connectColors = () =>
  onColorScheme(() => document.querySelectorAll(".analysis[open]").forEach((place) => made.get(place)?.load().catch(console.warn)));

export class Analysis {
  /**
   * @param {any} place which it is shown in: it opens, and says what is asked (`data-asks`)
   * @param {Panel | null} [panel] of the run that it is about
   */
  constructor(place, panel = null) {
    this.place = place;
    this.panel = panel;
    place.firstElementChild.after(byId("analysis-model").content.cloneNode(true));
    this.content = this.part("content");
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
    if (place.dataset.again) this.part("begin").textContent = place.dataset.again;
    made.set(place, this);
  }

  /** What is asked, without its query. */
  get address() {
    return `runs/${this.panel.run}/${this.place.dataset.asks}`;
  }

  /** @param {string} name @returns {any} */
  part(name) {
    return this.place.querySelector(`[data-found="${name}"]`);
  }

  /** An element that scripts fill. @param {string} name @returns {any} */
  kept(name) {
    return this.content.querySelector(`[data-kept="${name}"]`);
  }

  /** What is asked for. */
  query() {
    return new URLSearchParams({ scheme: colorScheme(), ...this.asked });
  }

  /** Shows what there is, and begins it if there is nothing. */
  async open() {
    if (!this.found) write(this.part("words"), COMPUTING);
    const isKnown = await this.load();
    if (!this.place.open) return;
    if (isKnown && !this.isOutdated()) await this.follow();
    else await this.compute();
  }

  /** It was closed: nothing is followed. */
  rest() {
    this.nFollowed += 1;
  }

  /** Whether what was found is about something else than what it would be begun with. */
  isOutdated() {
    return false;
  }

  /**
   * Asks, and shows the answer, or why there is none; whether there is anything, or can be. What came to another question
   * meanwhile is dropped.
   */
  async load() {
    const number = (this.nAsked += 1);
    this.content.ariaBusy = String(this.found?.is_final !== false); // what is followed is asked for every second
    const answer = await ask(`${this.address}?${this.query()}`).catch((error) => ({ refusal: sentenceOf(error) }));
    if (number !== this.nAsked || this.panel?.isDisposed) return true;
    this.content.ariaBusy = "false";
    if (answer.refusal) this.refuse(answer.refusal);
    else if (answer.run !== null) {
      this.found = answer;
      this.show();
    }
    return answer.run !== null;
  }

  // The choices stay: another one may be possible.
  refuse(sentence) {
    write(this.part("words"), sentence);
    this.content.querySelectorAll("[data-kept]").forEach(clear);
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
      this.refuse(sentenceOf(error));
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
    write(this.part("words"), unbroken(words));
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
    const { choice, value, runs } = button?.dataset ?? {};
    if (choice) this.choose(choice, value);
    if (runs) this.run(runs).catch(console.warn);
  }

  // The run of a view, beside this one: as a link to such a run would show it.
  async run(address) {
    const { view } = await ask(address);
    setProps("wanted", { data: { view, quiet: true } });
  }
}
