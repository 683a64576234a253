// The recap of a search that was over in a blink: its best planes, shown within two seconds before the
// last one stays. The numbers are those of the last plane throughout; a click skips the rest.
import { decodedPlane } from "../drawing/arrays.mjs";
import { union } from "../drawing/scales.mjs";
import { lessMotion, wait } from "../page/dom.mjs";
import { recapSequences } from "../history/recap_steps.mjs";

/** @typedef {import("../types").News} News */
/** @typedef {import("../types").Plane} Plane */

const STEP_MS = 150;

export class Recap {
  /**
   * @param {import("./panel.mjs").Panel} panel
   * @param {import("./painting.mjs").Painting} painting
   */
  constructor(panel, painting) {
    this.panel = panel;
    this.painting = painting;
    this.isOn = false;
  }

  /** Shows the best planes among the last news of a run, if several were not shown. @param {News} news */
  async begin(news) {
    const sequences = recapSequences(news);
    if (!sequences.length || lessMotion.matches || !this.panel.isShown()) return;
    this.isOn = true;
    this.panel.node.addEventListener("pointerdown", () => this.skip(), { once: true });
    try {
      await this.show(await Promise.all(sequences.map((sequence) => this.fetched(sequence))));
    } catch (error) {
      console.warn(error);
    }
    await this.skip();
  }

  /** @param {Plane[]} planes */
  async show(planes) {
    const { panel, painting } = this;
    // One pair of axes holds them all, so that the picture does not pulse.
    panel.limits = union([panel.limits, ...planes.map(({ limits }) => limits)]);
    for (const plane of planes) {
      if (!this.isOn) return;
      painting.paintPassed(plane);
      await wait(STEP_MS);
    }
  }

  async fetched(sequence) {
    const answer = await fetch(`runs/${this.panel.run}/planes/${sequence}?${this.panel.query()}`);
    if (!answer.ok) throw new Error(`plane ${sequence}: ${answer.status}`);
    return decodedPlane(await answer.json());
  }

  end() {
    this.isOn = false;
  }

  /** Goes to the last plane. */
  async skip() {
    if (!this.isOn) return;
    this.end();
    await this.painting.paint();
  }
}
