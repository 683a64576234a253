// What a panel requests: planes of its run, one at a time, of which the last one asked for wins; and the styles of its
// figures.
import { refusalOf } from "../page/answers.mjs";

export class PlaneRequests {
  /**
   * @param {string} run
   * @param {(plane: Plane) => Promise<void>} show
   * @param {(isBusy: boolean) => void} onBusy
   * @param {(message: string) => void} onRefused
   */
  constructor(run, show, onBusy, onRefused) {
    this.run = run;
    this.show = show;
    this.onBusy = onBusy;
    this.onRefused = onRefused;
    /** @type {string | null} */
    this.requested = null; // the address of the plane that was requested last
    /** @type {Map<string, Promise<Response | null>>} */
    this.prefetched = new Map();
    this.isDisposed = false;
  }

  /**
   * Fetches and shows a plane, unless a later request replaces this one.
   * @param {string} address sequence and query
   */
  async request(address) {
    const isBusy = this.requested !== null;
    this.requested = address;
    if (isBusy) return;
    this.onBusy(true);
    try {
      await this.showUntilCurrent();
    } catch {
      // The run loop notices that the server is gone, and reports it.
    } finally {
      this.requested = null;
      this.onBusy(false);
    }
  }

  /** The number of the plane that was requested and is not shown yet; null if there is none. */
  get sequence() {
    return this.requested === null ? null : Number.parseInt(this.requested, 10);
  }

  async showUntilCurrent() {
    let shown = null;
    while (this.requested !== shown) {
      const address = this.requested;
      const answer = await (this.prefetched.get(address) ?? fetch(this.url(address)));
      if (!answer || this.isDisposed) return;
      if (!answer.ok) {
        this.onRefused(await refusalOf(answer));
        return;
      }
      await this.show({ ...(await answer.json()), address });
      shown = address;
    }
  }

  /** Fetches the plane that a player will request next. @param {string} address */
  prefetch(address) {
    this.prefetched = new Map([[address, fetch(this.url(address)).catch(() => null)]]);
  }

  /** Shows no answer any more. */
  dispose() {
    this.isDisposed = true;
    this.prefetched.clear();
  }

  url(address) {
    return `runs/${this.run}/planes/${address}`;
  }
}

// The styles of a run's figures, fetched once for each color scheme.

/** @type {Map<string, Promise<Figure>>} */
const figures = new Map();

/**
 * The figure of a run; requests made while it is fetched share the answer.
 * @param {string} run
 * @param {string} scheme
 */
export function figureOf(run, scheme) {
  const address = `${addressOf(run)}?scheme=${scheme}`;
  if (!figures.has(address)) figures.set(address, fetchFigure(address));
  return figures.get(address);
}

/** Forgets the figures of a run that was removed. @param {string} run */
export function forgetFigures(run) {
  for (const address of figures.keys()) {
    if (address.startsWith(addressOf(run))) figures.delete(address);
  }
}

const addressOf = (run) => `runs/${run}/figure`;

async function fetchFigure(address) {
  const answer = await fetch(address).catch(() => null);
  if (answer?.ok) return answer.json();
  figures.delete(address); // so that it is fetched again
  throw new Error(`${address}: ${answer?.status ?? "no answer"}`);
}
