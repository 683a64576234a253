// The planes that a panel requests: one at a time, of which the last one asked for wins.
import { refusalOf } from "../page/answers.mjs";
import { showNotice } from "../page/notice.mjs";

export class PlaneRequests {
  /** @param {Pick<Panel, "run" | "node" | "isDisposed" | "showRequested">} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {string | null} */
    this.requested = null; // the address of the plane that was requested last
    /** @type {Map<string, Promise<Response | null>>} */
    this.prefetched = new Map();
  }

  /**
   * Fetches and shows a plane, unless a later request replaces this one.
   * @param {string} address sequence and query
   */
  async request(address) {
    const isBusy = this.requested !== null;
    this.requested = address;
    if (isBusy) return;
    this.panel.node.toggleAttribute("data-asking", true);
    try {
      await this.showUntilCurrent();
    } catch {
      // The run loop notices that the server is gone, and reports it.
    } finally {
      this.requested = null;
      this.panel.node.toggleAttribute("data-asking", false);
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
      if (!answer || this.panel.isDisposed) return;
      if (!answer.ok) {
        showNotice(await refusalOf(answer), { briefly: true });
        return;
      }
      await this.panel.showRequested({ ...(await answer.json()), address });
      shown = address;
    }
  }

  /** Fetches the plane that a player will request next. @param {string} address */
  prefetch(address) {
    this.prefetched = new Map([[address, fetch(this.url(address)).catch(() => null)]]);
  }

  url(address) {
    return `runs/${this.panel.run}/planes/${address}`;
  }
}
