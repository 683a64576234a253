// What the server has found out about a run, in a dialog: its markup, the figures in it, and choices by which the
// server is asked again.
import { ask } from "../page/answers.mjs";
import { setProps, update } from "../page/dash.mjs";
import { colorScheme, onColorScheme } from "../page/dom.mjs";
import { draw } from "../plane/plotly.mjs";

export class Found {
  /** @param {HTMLDialogElement} dialog @param {HTMLElement} content which it is shown in */
  constructor(dialog, content) {
    this.dialog = dialog;
    this.content = content;
    this.address = ""; // what is asked
    /** @type {Record<string, string>} */
    this.asked = {}; // of the choices, by name
    /** @type {any} */
    this.found = null; // the last answer
    this.nAsked = 0; // how often, so that the answer to the last question is shown
    this.config = {}; // of figures
    content.addEventListener("click", ({ target }) => this.press(/** @type {Element} */ (target).closest("button")));
    content.addEventListener("input", ({ target }) => {
      const { dataset, value } = /** @type {HTMLInputElement} */ (target);
      if (dataset.choice) this.choose(dataset.choice, value);
    });
    onColorScheme(() => dialog.open && this.load().catch(console.warn));
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

  /** Shows what was found. */
  show() {
    update(this.content, this.found.markup);
    this.drawFigures().catch(console.warn);
  }

  async drawFigures() {
    for (const [name, { data, layout }] of Object.entries(this.found.figures)) {
      await draw(this.kept(name), data, layout, this.config);
    }
  }

  /** An element that scripts fill. @param {string} name @returns {any} */
  kept(name) {
    return this.content.querySelector(`[data-kept="${name}"]`);
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
