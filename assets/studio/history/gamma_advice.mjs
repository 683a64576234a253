// The kernel width that inner folds recommend: one press goes there or, where no run has chosen one
// yet, begins a run that does.
import { hide, write } from "../page/dom.mjs";
import { sendCommand } from "../panel/run_commands.mjs";

export class GammaAdvice {
  /** @param {import("../panel/panel.mjs").Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.button = panel.part("gamma-advice");
    this.button.onclick = () => this.follow();
  }

  /** @param {{ advice: import("../types").GammaPath | null, can_choose: boolean }} profile */
  show({ advice, can_choose: canChoose }) {
    const { options, gamma } = this.panel;
    this.recommended = advice?.chosen ?? null;
    const isThere = this.recommended !== null && (options.gamma ?? gamma) === this.recommended;
    hide(this.button, isThere || (!advice && !canChoose));
    write(this.button, advice ? `Go to γ ${this.recommended}` : "Find the best γ");
    this.button.title = advice
      ? "The widest kernel within one standard error of the best held-out accuracy"
      : "Run again, and choose γ by the held-out accuracy of inner folds";
  }

  follow() {
    if (this.recommended === null) return sendCommand(this.panel, "choose-gamma");
    this.button.hidden = true;
    return this.panel.changeGamma(this.recommended);
  }
}
