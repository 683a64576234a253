// A field for the place on the curve: the number of the plane, or the kernel width.

import { write } from "../page/dom.mjs";

const STEP_GAMMA = 0.1;

export class PositionField {
  /**
   * @param {HTMLElement} slot
   * @param {{ toPlane: (sequence: number) => void, toGamma: (gamma: number) => void }} actions
   */
  constructor(slot, { toPlane, toGamma }) {
    this.field = document.createElement("input");
    this.field.type = "number";
    this.before = document.createElement("span");
    this.after = document.createElement("span");
    const label = document.createElement("label");
    label.append(this.before, this.field);
    slot.replaceChildren(label, this.after);
    this.field.addEventListener("change", () => {
      const { valueAsNumber: value, min, max } = this.field;
      if (Number.isNaN(value)) return;
      const within = Math.min(Math.max(value, Number(min)), Number(max));
      if (this.isGamma) toGamma(within);
      else toPlane(Math.round(within) - 1);
    });
  }

  /** @param {number} sequence @param {number} last */
  showPlane(sequence, last) {
    this.show(false, { min: 1, max: last + 1, step: 1 }, sequence + 1);
    write(this.after, `of ${(last + 1).toLocaleString("en")}`);
  }

  /** @param {number} gamma @param {{ min: number, max: number }} bounds */
  showGamma(gamma, bounds) {
    this.show(true, { ...bounds, step: STEP_GAMMA }, gamma);
    write(this.after, "");
  }

  show(isGamma, bounds, value) {
    if (this.isGamma !== isGamma) this.before.textContent = isGamma ? "γ" : "Plane";
    this.isGamma = isGamma;
    if (this.field.max !== String(bounds.max)) Object.assign(this.field, bounds);
    if (document.activeElement !== this.field) this.field.value = String(value);
  }
}
