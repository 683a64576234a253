// A panel: one run with its picture, its scores and its history.
import { ask, refusalOf, remembering } from "../page/answers.mjs";
import { byId, colorScheme, hide, write } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { showNotice } from "../page/notice.mjs";
import { scoreText, unbroken } from "../page/number_text.mjs";
import { onChange } from "../page/signals.mjs";
import { decodedPlane } from "../plane/arrays.mjs";
import { steadyLimits } from "../plane/scales.mjs";
import { EVENTS } from "./curve.mjs";
import { extend } from "./features.mjs";
import { History } from "./history.mjs";
import { Painting } from "./painting.mjs";
import { frontRun, hiddenRuns, isNewRun } from "./runs.mjs";
import { DEFAULT_VIEW, isAsFound, isOwnPlane, viewQuery } from "./view_options.mjs";

const NO_HELD_OUT = "Not every class has held-out rows";

/** What a panel asks of the others. @typedef {typeof import("./panels.mjs").peers} Peers */

/**
 * News without what another answer has brought meanwhile.
 * @param {number} sequence of the newest plane known
 * @param {News} news
 * @returns {News}
 */
export function newerThan(sequence, news) {
  const first = news.sequences.findIndex((known) => known > sequence);
  const from = first < 0 ? news.sequences.length : first;
  const newer = EVENTS.map((name) => [name, news[name].slice(from)]);
  const heldOut = news.held_out.filter(([known]) => known > sequence);
  return { ...news, ...Object.fromEntries(newer), held_out: heldOut, plane: first < 0 ? null : news.plane };
}

export class Panel {
  /**
   * @param {HTMLElement} node
   * @param {Peers} peers
   */
  constructor(node, peers) {
    this.node = node;
    /** @type {Map<string, Element | null>} */
    this.parts = new Map(); // by name, as far as they were looked for
    this.peers = peers;
    this.run = node.dataset.run;
    this.title = this.part("title"); // in whose place a field is while it is changed
    this.gamma = Number(node.dataset.gamma); // of the densities of the run
    /** @type {number | null} */
    this.searchGamma = null; // of its search, once there is news
    this.nComponents = Number(node.dataset.components);
    this.sequence = -1; // of the newest plane known
    this.newest = -1; // of the newest in an answer that is perhaps not taken yet
    /** @type {Plane | null} */
    this.plane = null; // the plane on screen
    this.isLive = true; // follows the run, until the slider is moved
    this.isFinal = false;
    this.isRefitted = false;
    this.isDisposed = false;
    this.isNew = isNewRun(this.run);
    /** @type {Axes | null} */
    this.limits = null;
    /** @type {ViewOptions} */
    this.options = { ...DEFAULT_VIEW };
    this.arrowLimit = Infinity;
    /** Features of whose effect on held-out rows nothing is seen. @type {Set<number>} */
    this.unseen = new Set();
    this.nOutside = 0;
    /** The run that the newest plane of the run is aligned with. @type {string | null} */
    this.aligned = null;
    this.figures = remembering(2, ask); // of each color scheme, without data
    this.history = new History(this);
    this.painting = new Painting(this);
    this.askedAt = -Infinity; // when news of the run was asked for last, in ms
    this.sight = new Sight(this.part("plot"), () => this.enter());
    this.requests = new PlaneRequests(this);
    this.part("back").onclick = () => this.changeView({ ...DEFAULT_VIEW, view_angle: this.options.view_angle });
    extend(this);
    this.loadFigure().catch(console.warn); // while the first plane is on its way
  }

  /** Shows the title of the run, if it is another. @param {DescribedPanel} described */
  retitle({ title, label }) {
    if (this.node.dataset.title === title) return;
    this.node.dataset.title = title;
    write(this.title, title);
    this.node.setAttribute("aria-label", label);
  }

  /** Ends what goes on without the node, and releases what is drawn: the panel is not shown again. */
  dispose() {
    this.isDisposed = true;
    this.sight.dispose();
    this.history.dispose();
    this.painting.dispose();
    this.node.dispatchEvent(new Event("panel:removed"));
  }

  /** The element of the template with this name. @param {string} name @returns {any} */
  part(name) {
    const known = this.parts.get(name);
    if (known && this.node.contains(known)) return known;
    const found = this.node.querySelector(`[data-part="${name}"]`);
    this.parts.set(name, found);
    return found;
  }

  /** Loads the figure in the colors of the page. */
  async loadFigure() {
    const scheme = colorScheme();
    this.figure = await this.figures(`runs/${this.run}/figure?scheme=${scheme}`);
    this.figureScheme = scheme;
  }

  /**
   * Takes news of the run: a message, scalars, and perhaps a newer plane, which is not yet painted.
   * @param {News} sent
   * @param {string | null} toward the run that its plane is aligned with
   */
  async receive(sent, toward) {
    await this.loadFigure();
    const news = newerThan(this.sequence, sent);
    const hasEnded = news.is_final && !this.isFinal;
    this.isFinal = news.is_final;
    this.gamma = news.density_gamma;
    this.searchGamma = news.gamma;
    this.node.dataset.state = news.state;
    write(this.part("words"), unbroken(news.words));
    this.part("words").title = news.words; // where they are cut
    hide(this.part("stop"), news.is_final);
    this.showProgress(news);
    if (news.sequences.length) {
      this.sequence = news.sequences.at(-1);
      this.history.extend(news);
    }
    // The news have the rows at unseen places, once these are known.
    const isFollowed = this.isLive && isAsFound(this.options) && this.options.places === null;
    if (news.plane) this.aligned = toward;
    if (news.plane && isFollowed) this.show(news.plane);
    if (hasEnded && this.sequence < 0) this.painting.giveUp();
    if (hasEnded && isFollowed) this.limits = this.plane?.limits ?? null; // as after a reload
    if (hasEnded && isFollowed && this.isNew) this.painting.showRecap(news);
    this.followRefits(news);
    this.history.draw(this.isFinal);
    // As its last plane came; it would only be requested, and glided to, once more.
    const isAligned = this.aligned !== this.run && this.aligned === this.peers.reference();
    if (hasEnded && !isAligned) this.realign();
    this.announce("news", news);
  }

  // The rows go where planes that never saw them put them, once, and what was said of them is asked again.
  /** @param {News} news */
  followRefits({ refitted }) {
    if (!refitted || this.isRefitted) return;
    this.isRefitted = true;
    this.history.folds = refitted.curve;
    this.announce("refitted", null);
    if (this.plane && this.plane.places === null && isOwnPlane(this.options)) this.refresh();
  }

  showProgress({ fraction, is_final: isFinal }) {
    const bar = this.part("progress");
    bar.style.setProperty("--fraction", fraction);
    bar.classList.toggle("is-final", isFinal);
    bar.setAttribute("aria-valuenow", Math.round(100 * fraction));
  }

  /** Makes a plane the one on screen; it is painted afterwards. @param {Plane} sent */
  show(sent) {
    const plane = decodedPlane(sent);
    this.plane = plane;
    this.limits = steadyLimits(this.limits, plane.limits);
    this.showScores(plane.numbers);
    for (const [i, title] of this.node.querySelectorAll("[data-axis]").entries()) write(title, plane.axes[i]);
    this.part("plot").setAttribute("aria-label", plane.caption);
    write(this.part("changed"), unbroken(plane.changes));
    this.announce("plane", plane);
  }

  showScores(scores) {
    for (const [name, value] of Object.entries(scores)) {
      const cell = this.part(name);
      write(cell, scoreText(name, value));
      cell.title = value === null ? NO_HELD_OUT : String(value);
    }
  }

  /**
   * Sends an event to the features of the panel: "news", "plane", "painted", "refitted", "options" (new view
   * options) or "sight" (it comes into sight).
   * @param {string} event
   * @param {object} detail
   */
  announce(event, detail) {
    this.node.dispatchEvent(new CustomEvent(`panel:${event}`, { detail }));
  }

  /** @param {Plane} plane */
  notePainted(plane) {
    this.node.dataset.sequence = String(plane.sequence);
    this.node.dataset.divergence = String(plane.numbers["divergence-training"]);
    this.announce("painted", plane);
  }

  paint(isStill = false) {
    return this.painting.paint(isStill);
  }

  /** Shows another plane of the run. @param {number} sequence */
  scrubTo(sequence) {
    this.isLive = sequence === this.sequence;
    return this.request(sequence);
  }

  /** Shows the plane on screen with some view options changed. @param {Partial<ViewOptions>} change */
  changeView(change) {
    if (!this.plane) return null;
    this.setOptions({ ...this.options, ...change });
    return this.request(this.wantedSequence());
  }

  /** The address of the plane on screen with some view options changed. @param {Partial<ViewOptions>} change */
  addressWith(change) {
    return `${this.plane.sequence}?${this.query(change)}`;
  }

  /** Shows a plane that is here already, and the options that it was requested with. @param {Partial<ViewOptions>} change @param {Plane} plane */
  showWith(change, plane) {
    this.isLive = plane.sequence === this.sequence;
    this.setOptions({ ...this.options, ...change });
    return this.showRequested(plane);
  }

  /** Shows the plane on screen at another kernel width. @param {number} gamma */
  changeGamma(gamma) {
    return this.changeView({ gamma: gamma === this.gamma ? null : gamma });
  }

  /**
   * Shows a plane of the run with view options of its own.
   * @param {number} sequence
   * @param {Partial<ViewOptions>} options
   */
  showAs(sequence, options) {
    this.setOptions({ ...DEFAULT_VIEW, ...options });
    return this.scrubTo(sequence);
  }

  /** @param {ViewOptions} options */
  setOptions(options) {
    this.options = options;
    this.node.classList.toggle("is-elsewhere", !isAsFound(this.options));
    this.node.classList.toggle("is-changed", !isOwnPlane(this.options));
    const isAtGamma = isOwnPlane(this.options) && this.options.gamma !== null && this.gamma !== null;
    this.part("back").textContent = isAtGamma
      ? `Densities at γ ${this.options.gamma}; back to γ ${this.gamma}`
      : "Back to the plane of the run";
    this.announce("options", this.options);
  }

  /**
   * The query of the plane on screen, with some of it changed, and with what else is asked.
   * @param {Partial<ViewOptions> & { toward?: string | null, [field: string]: any }} [change]
   */
  query(change = {}) {
    const { toward, ...options } = { ...this.options, toward: this.peers.reference(), ...change };
    return viewQuery(options, toward);
  }

  request(sequence) {
    return this.requests.request(`${sequence}?${this.query()}`);
  }

  /** Fetches the plane that a player will show next. @param {number} sequence @param {Partial<ViewOptions>} [change] */
  prefetch(sequence, change) {
    this.requests.prefetch(`${sequence}?${this.query(change)}`);
  }

  async showRequested(plane) {
    this.show(plane);
    this.peers.paintStale();
    await this.history.draw();
  }

  // Finished runs are aligned with the newest plane of the reference; once the reference itself has
  // finished, the others are aligned again.
  realign() {
    const reference = this.peers.reference();
    if (reference === null) return;
    const turned = this.run === reference ? this.peers.shown() : [this];
    turned.forEach((panel) => panel.run !== reference && panel.refresh());
  }

  /** Requests the plane on screen again: what it is aligned with has changed. */
  refresh() {
    if (this.plane && this.isFinal) this.request(this.wantedSequence());
  }

  // Of the plane that is on its way, if there is one: it is the one to be shown.
  wantedSequence() {
    return this.requests.sequence ?? this.plane?.sequence ?? this.sequence;
  }

  /** Paints everything again in the colors of the page. */
  async restyle() {
    if (!this.isShown()) return;
    await this.loadFigure();
    this.paint();
    this.history.draw(true);
  }

  isShown() {
    return mode.value === "compare" ? !hiddenRuns.value.has(this.run) : this.run === frontRun.value;
  }

  /** Whether the picture is in sight, or is about to be. */
  isInSight() {
    return this.isShown() && (mode.value !== "compare" || this.sight.isIn);
  }

  // The picture comes into sight: it shows the newest plane that is here, and asks for a newer one.
  enter() {
    if (this.painting.isStale()) this.paint(true);
    this.announce("sight", null);
  }
}

// The planes that a panel requests: one at a time, of which the last one asked for wins.

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

// Whether a picture is in sight: in Compare most of many are not, and painting them would take the time of the others.

// As far as a picture is scrolled before the page knows of it.
const MARGIN_PX = 24;

class Sight {
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
