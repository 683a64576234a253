// What is asked about the plane of a panel: where it stays for a while, and what comes to the last question counts.
import { ask, sentenceOf } from "../page/answers.mjs";
import { writeMarkup } from "../page/dash.mjs";
import { element } from "../page/dom.mjs";

const AT_REST_MS = 120; // a plane that stays this long is at rest

export class Question {
  /**
   * @param {Panel} panel
   * @param {() => string | null | false} address of what is to be asked, if anything is
   * @param {(answer: any) => void} tell of the answer, or of a `refusal`, after which it may be asked again
   * @param {number} [rest] how long a plane is to stay, in ms
   */
  constructor(panel, address, tell, rest = AT_REST_MS) {
    this.panel = panel;
    this.address = address;
    this.tell = tell;
    this.rest = rest;
    this.forget();
    panel.node.addEventListener("panel:refitted", () => this.forget());
  }

  /** Asks once nothing has changed for a while. */
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), this.rest);
  }

  /** Asks, unless it is what was asked last. @param {() => string | null | false} [address] */
  async now(address = this.address) {
    const asked = !this.panel.isDisposed && this.panel.plane && address();
    if (!asked || asked === this.asked) return;
    this.asked = asked;
    const answer = await ask(asked).catch((error) => ({ refusal: sentenceOf(error) }));
    if (asked !== this.asked) return;
    if (answer.refusal) this.forget();
    this.tell(answer);
  }

  /** Lets the same be asked again: the answer may be another one. */
  forget() {
    this.asked = "";
  }
}

/** Writes what is answered as HTML, or why there is none. @param {HTMLElement} place */
export const writeIn = (place) => (/** @type {{ markup: string, refusal?: string }} */ { markup, refusal }) =>
  refusal ? place.replaceChildren(element("p", "hint", refusal)) : writeMarkup(place, markup);
