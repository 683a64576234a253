// Whether a picture is in sight: in Compare most of many are not, and painting them would take the time of the others.
import { byId } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { onChange } from "../page/signals.mjs";

// As far as a picture is scrolled before the page knows of it.
const MARGIN_PX = 24;

export class Sight {
  /**
   * @param {HTMLElement} plot
   * @param {() => void} onEntry told that the picture comes into sight, before it is seen
   */
  constructor(plot, onEntry) {
    this.plot = plot;
    this.onEntry = onEntry;
    this.isIn = true; // until it is known better
    this.end = new AbortController();
    const root = byId("panels");
    this.observer = new IntersectionObserver((entries) => this.note(entries.at(-1).isIntersecting), {
      root,
      rootMargin: `${MARGIN_PX}px`,
    });
    // The observer is told after the first frame in which something is seen: too late after a leap.
    root.addEventListener("scroll", () => this.isIn || this.note(this.isWithin(root)), { signal: this.end.signal });
    addEventListener("beforeprint", () => this.look(), { signal: this.end.signal });
    this.unwatch = onChange(mode, () => this.look());
    this.observer.observe(plot);
  }

  /** Takes the picture for one in sight until the observer has looked again. */
  look() {
    this.note(true);
    this.observer.disconnect();
    this.observer.observe(this.plot);
  }

  note(isIn) {
    const isNew = isIn && !this.isIn;
    this.isIn = isIn;
    if (isNew) this.onEntry();
  }

  isWithin(root) {
    const [own, box] = [this.plot.getBoundingClientRect(), root.getBoundingClientRect()];
    return own.height > 0 && own.bottom > box.top - MARGIN_PX && own.top < box.bottom + MARGIN_PX;
  }

  dispose() {
    this.end.abort();
    this.unwatch();
    this.observer.disconnect();
  }
}
