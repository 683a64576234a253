// Plays the planes of a run at the pace of the painting.
import { lessMotion, wait } from "../page/dom.mjs";
import { state } from "../state.mjs";

// A run is played within about ten seconds, however many planes it has.
const MOST_PLAYED = 150;
const PLAYED_MS = 66;

// With less motion, a run is a few pictures one after the other.
const MOST_STILLS = 8;
const STILL_MS = 1000;

export class Player {
  /** @param {import("../panel/panel.mjs").Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.isPlaying = false;
  }

  /** Plays from the plane on screen, from the beginning if that is the last; or pauses. */
  async toggle() {
    if (this.isPlaying) return this.pause();
    this.setPlaying(true);
    const { panel } = this;
    const { slider } = panel.history;
    const last = panel.sequence;
    const [most, every] = lessMotion.matches ? [MOST_STILLS, STILL_MS] : [MOST_PLAYED, PLAYED_MS];
    const pace = state.speed * Math.max(1, last / most); // planes in that time
    const stride = Math.max(1, pace);
    let at = panel.plane.sequence >= last ? 0 : panel.plane.sequence;
    while (this.isPlaying && panel.node.isConnected) {
      slider.value = String(Math.round(at));
      const began = performance.now();
      const shown = panel.scrubTo(Math.round(at));
      const next = Math.min(at + stride, last);
      if (at < last) panel.prefetch(Math.round(next));
      await shown;
      if (at >= last) break;
      at = next;
      await wait(began + (every * stride) / pace - performance.now());
    }
    return this.pause();
  }

  pause() {
    this.setPlaying(false);
  }

  setPlaying(isPlaying) {
    const { button } = this.panel.history;
    this.isPlaying = isPlaying;
    button.classList.toggle("is-playing", isPlaying);
    button.setAttribute("aria-label", isPlaying ? "Pause playing" : "Play");
  }
}
