// The morph: the plane on screen along the shortest way to that of another run.
import { connectNumber, lessMotion, setSlider } from "../page/dom.mjs";
import { speed } from "../panel/history.mjs";
import { allPanels, frontPanel } from "../panel/panels.mjs";
import { eased, Player } from "../plane/clock.mjs";

const STEP_MS = 50;
const STEPS = 72; // of a morph, from one end to the other at normal speed

export class Morph {
  /** @param {Record<string, any>} bar its parts by name */
  constructor(bar) {
    this.node = bar.morph;
    this.choice = bar["morph-to"]; // of the other run
    this.slot = bar["morph-slot"];
    this.slider = bar["morph-share"];
    this.button = bar["morph-play"];
    this.percent = bar["morph-percent"];
    connectNumber([this.slider, this.percent]);
    this.player = new Player((isPlaying) => {
      this.button.classList.toggle("is-playing", isPlaying);
      this.button.setAttribute("aria-label", isPlaying ? "Pause the morph" : "Play the morph");
    });
    this.end = 1; // the share that the last play went to, as one that was paused goes on to it
    this.slider.oninput = () => {
      this.player.pause();
      this.showShare(this.slider.valueAsNumber / 100);
    };
    this.button.onclick = () => this.play().catch(console.warn);
    this.choice.onchange = () => this.choose();
  }

  choose() {
    const other = this.choice.value;
    this.player.pause();
    if (frontPanel()?.options.morph) frontPanel().changeView({ morph: null });
    this.follow();
    this.choice.blur(); // the keys of Present go to the page again
    if (other) this.play().catch(console.warn);
  }

  /** @param {number} share of the way @returns {[string, number] | null} */
  viewAt(share) {
    return share > 0 ? [this.choice.value, Number(share.toFixed(4))] : null;
  }

  showShare(share) {
    return frontPanel()?.changeView({ morph: this.viewAt(share) });
  }

  /** Goes to the other end; or pauses. */
  async play() {
    const panel = frontPanel();
    if (!panel?.plane || !this.choice.value) return;
    panel.history.player.pause();
    await this.player.toggle(() => this.steps(panel));
  }

  // Even ones, since a plane that skips does not seem to turn.
  async *steps(panel) {
    const from = panel.options.morph?.[1] ?? 0;
    if (from <= 0 || from >= 1) this.end = from < 1 ? 1 : 0;
    const shares = lessMotion.matches ? [this.end] : morphShares(from, this.end, speed.value);
    for (const [step, share] of shares.entries()) {
      if (panel !== frontPanel()) return;
      const shown = this.showShare(share);
      const next = shares[step + 1];
      if (next !== undefined) panel.prefetch(panel.plane.sequence, { morph: this.viewAt(next) });
      await shown;
      if (next !== undefined) yield STEP_MS;
    }
  }

  /** Lists the runs that the front run can morph to: of the same table, with as many components. */
  followRuns() {
    const panel = frontPanel();
    const others = othersInSpace(panel);
    const listed = JSON.stringify([panel?.run, others.map(({ run, node }) => [run, node.dataset.title])]);
    if (this.node.dataset.runs !== listed) {
      this.node.dataset.runs = listed;
      this.player.pause();
      this.list(others, panel?.options.morph?.[0] ?? "");
    }
    this.follow();
  }

  list(others, chosen) {
    this.end = 1;
    const none = new Option(others.length ? "Choose a run" : "No other run yet", "");
    this.choice.replaceChildren(none, ...others.map(({ node, run }) => new Option(node.dataset.title, run)));
    this.choice.disabled = !others.length;
    this.choice.value = chosen;
  }

  /** Shows the share of the way that is on screen. */
  follow() {
    const way = frontPanel()?.options.morph;
    if (way) this.choice.value = way[0];
    const isChosen = this.choice.value !== "";
    this.slot.hidden = !isChosen;
    this.slider.disabled = this.percent.disabled = this.button.disabled = !isChosen;
    const percent = Math.round(100 * (way?.[1] ?? 0));
    setSlider(this.slider, percent, `${percent} percent of the way`);
  }
}

function othersInSpace(panel) {
  const space = panel?.node.dataset.space;
  if (!space) return [];
  return allPanels().filter(({ run, node }) => run !== panel.run && node.dataset.space === space);
}

/**
 * The shares of the way at which planes are shown, slow at both ends.
 * @param {number} from share of the way at the beginning
 * @param {number} to share at the end
 * @param {number} times how much faster than at normal speed
 * @returns {number[]}
 */
export function morphShares(from, to, times) {
  const count = Math.ceil((Math.abs(to - from) * STEPS) / times);
  return Array.from({ length: count }, (_, i) => from + (to - from) * eased((i + 1) / count));
}
