// The planes that a panel requests: one at a time, of which the last one asked for wins.
import { refusalOf } from "../page/answers.mjs";
import { showNotice } from "../page/notice.mjs";

export class PlaneRequests {
  /** @param {Pick<Panel, "run" | "node" | "isDisposed" | "showRequested" | "showWith">} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {string | null} */
    this.requested = null; // the address of the plane that was requested last
    /** @type {ViewOptions | null} */
    this.options = null; // what the panel takes over with it
    /** @type {Map<string, Promise<Response | null>>} */
    this.prefetched = new Map();
  }

  /**
   * Fetches and shows a plane, unless a later request replaces this one.
   * @param {string} address sequence and query
   * @param {ViewOptions | null} [options] which the panel has once the plane is here, and only then
   */
  async request(address, options = null) {
    const isBusy = this.requested !== null;
    this.requested = address;
    this.options = options;
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
      const { requested: address, options } = this;
      const answer = await (this.prefetched.get(address) ?? fetch(this.url(address)));
      if (!answer || this.panel.isDisposed) return;
      const body = answer.ok ? await answer.json() : await refusalOf(answer);
      shown = address;
      const isReplaced = this.requested !== address;
      // What a slider passes is seen, but no options are taken over, nor errors told, of what is wanted no more.
      if (isReplaced && (options || !answer.ok)) continue;
      const plane = { ...body, address };
      if (!answer.ok) showNotice(body, { briefly: true });
      else if (this.options && !isReplaced) await this.panel.showWith(this.options, plane);
      else await this.panel.showRequested(plane);
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
