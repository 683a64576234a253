// A panel: draws the planes of one run, its numbers and its words.
(() => {
  "use strict";

  const { History, Motion, view, scheme, furnish, extensions, setProps } = window.studio;
  const CONFIG = { displayModeBar: false, scrollZoom: true, responsive: true, doubleClick: false };
  // A picture that shrinks a little keeps its axes: a plane that turns should not also pump.
  const SHRINK_BELOW = 0.7;
  const AS_FOUND = { gamma: null, kept: null, morph: null, moves: [], from: null };

  class Panel {
    constructor(node) {
      furnish(node);
      this.node = node;
      this.run = node.dataset.run;
      this.sequence = -1; // newest event known
      this.plane = null; // the plane on screen
      this.isLive = true; // following the run, not held by the slider
      this.isFinal = false;
      this.limits = null;
      this.zoom = null; // the axes that the user chose
      this.gamma = Number(node.dataset.gamma); // of the run
      this.nComponents = Number(node.dataset.components);
      this.look = { ...AS_FOUND }; // what is done to the plane before it is drawn
      this.asked = null; // the address of the plane that is asked for
      this.ahead = new Map(); // an answer that is not shown yet, by its address
      this.history = new History(this);
      this.motion = new Motion(this.part("motion"), this.part("plot"), () => this.paint(true));
      this.part("back").onclick = () => this.lookAt({ ...AS_FOUND, from: this.look.from });
      const refine = this.part("refine");
      if (refine) refine.onclick = () => this.refine().catch(console.warn);
      fitted(this.part("plot"), () => this.paint(true)); // on axes that again hold all there is
      fitted(this.part("curve"), () => this.history.moveCursor());
      for (const extend of extensions) extend(this);
      this.loadFigure().catch(console.warn); // while the first plane is on its way
    }

    // What was known of the run before Dash put up its panel anew.
    adopt({ sequence, plane, isLive, limits, zoom, look, figure, figureScheme, history }) {
      Object.assign(this, { sequence, isLive, limits, zoom, look, figure, figureScheme });
      this.history.adopt(history);
      if (!plane) return;
      this.show(plane);
      this.showLook();
      this.history.slider.value = plane.sequence;
    }

    part(name) {
      return this.node.querySelector(`[data-part="${name}"]`);
    }

    // The figure in the colours of the page; who comes while it is fetched waits for the same.
    async loadFigure() {
      const wanted = scheme();
      if (this.figure && this.figureScheme === wanted) return;
      const address = `runs/${this.run}/figure?scheme=${wanted}`;
      if (!Panel.figures.has(address)) Panel.figures.set(address, fetchFigure(address));
      this.figure = await Panel.figures.get(address);
      this.figureScheme = wanted;
    }

    // News from the frames route: words, scalars, and perhaps a newer plane, not yet painted.
    async take(news) {
      await this.loadFigure();
      const hasEnded = news.is_final && !this.isFinal;
      this.isFinal = news.is_final;
      this.node.dataset.state = news.state;
      this.node.classList.toggle("is-single", news.is_final && this.sequence + news.sequences.length < 1);
      this.part("words").textContent = news.words;
      this.part("stop").hidden = news.is_final;
      this.showProgress(news);
      if (news.sequences.length) {
        this.sequence = news.sequences.at(-1);
        this.history.extend(news);
      }
      if (news.plane && this.isLive && this.isAsFound()) this.show(news.plane);
      this.history.draw(this.isFinal);
      if (hasEnded) this.alignAgain();
      this.tell("news", news);
    }

    showProgress({ fraction, is_final: isFinal }) {
      const bar = this.part("progress");
      bar.style.setProperty("--fraction", fraction);
      bar.classList.toggle("is-final", isFinal);
      bar.setAttribute("aria-valuenow", Math.round(100 * fraction));
    }

    show(plane) {
      this.plane = plane;
      this.limits = settled(this.limits, plane.limits);
      this.showNumbers(plane.numbers);
      this.part("drawn").textContent = plane.drawn;
      this.part("plot").setAttribute("aria-label", plane.caption);
      this.history.show(plane);
      this.tell("plane", plane);
    }

    // Whoever extends the panel may listen: "news", "plane", "painted", "look".
    tell(event, detail) {
      this.node.dispatchEvent(new CustomEvent(`panel:${event}`, { detail }));
    }

    // The plane on screen with the view that is set now.
    async paint(isStill = false) {
      if (!this.plane || !this.figure) return;
      const { plane } = this;
      const traces = this.figure.plane.data.map((style, i) => this.dressed(style, plane.traces[i], i));
      const axes = this.axes();
      const still = `${axes}/${this.figureScheme}`;
      this.painted = plane;
      const isAtWork = this.isLive && !this.isFinal;
      if (this.motion.isOn(isAtWork) && !isStill) this.motion.draw(traces, axes, this.figure.plane.layout, isAtWork);
      else await this.paintStill(traces, axes);
      this.paintedAs = still;
      this.node.dataset.sequence = plane.sequence;
      this.node.dataset.divergence = plane.numbers["divergence-seen"];
      this.tell("painted", plane);
    }

    async paintStill(traces, axes) {
      this.motion.begin();
      await window.Plotly.react(this.part("plot"), traces, this.planeLayout(axes), CONFIG);
      this.motion.end();
      this.listenForZoom();
    }

    // A trace with its style and arrays, and what the view makes of it.
    dressed(style, arrays, position) {
      const trace = { ...style, ...arrays };
      if (arrays.marker) trace.marker = { ...style.marker, ...arrays.marker };
      if (style.meta === "contour") trace.visible = view.contours;
      if (style.meta === "arrow") trace.visible = view.arrows;
      for (const dress of Panel.dressers) dress(trace, this, position);
      return trace;
    }

    isStale() {
      const isPainted = this.painted === this.plane && this.paintedAs === `${this.axes()}/${this.figureScheme}`;
      return this.plane && !isPainted;
    }

    planeLayout([x, y]) {
      const base = this.figure.plane.layout;
      return {
        ...base,
        dragmode: view.drag,
        // What is selected comes from the view, not from what was drawn in one panel.
        selections: [],
        selectionrevision: (this.nPainted = (this.nPainted ?? 0) + 1),
        xaxis: { ...base.xaxis, range: [...x], autorange: false },
        yaxis: { ...base.yaxis, range: [...y], autorange: false },
      };
    }

    // A line has axes of its own kind.
    axes() {
      const isLinked = view.linked && this.nComponents > 1;
      const source = isLinked ? Panel.shared : this;
      const alike = Panel.shown().filter((panel) => panel.nComponents > 1);
      return source.zoom ?? (isLinked ? union(alike.map((panel) => panel.limits)) : this.limits);
    }

    listenForZoom() {
      const plot = this.part("plot");
      if (this.listensOn === plot) return;
      this.listensOn = plot;
      plot.on("plotly_relayout", (change) => "xaxis.range[0]" in change && this.setZoom(change));
      plot.on("plotly_doubleclick", () => this.setZoom(null));
    }

    setZoom(change) {
      const range = (axis) => [change[`${axis}.range[0]`], change[`${axis}.range[1]`]];
      const zoom = change && [range("xaxis"), range("yaxis")];
      (view.linked && this.nComponents > 1 ? Panel.shared : this).zoom = zoom;
      Panel.paintStale();
    }

    showNumbers(numbers) {
      for (const [name, value] of Object.entries(numbers)) {
        const cell = this.part(name);
        cell.textContent = value === null ? "–" : value.toPrecision(3);
        cell.title = value === null ? "A class has no unseen row" : String(value);
      }
    }

    // Whether the plane on screen is one of the run, with the kernels of the run.
    isAsFound() {
      return this.look.gamma === null && this.isOwnPlane();
    }

    isOwnPlane() {
      const { kept, morph, moves } = this.look;
      return kept === null && morph === null && !moves.length;
    }

    // Shows an earlier plane.
    scrubTo(sequence) {
      this.isLive = sequence === this.sequence;
      return this.ask(sequence);
    }

    // Shows the plane on screen otherwise: a change of the look.
    lookAt(change) {
      if (!this.plane) return null;
      this.look = { ...this.look, ...change };
      this.showLook();
      return this.ask(this.plane.sequence);
    }

    // Shows a plane under a look of its own.
    showAs(sequence, look) {
      this.look = { ...AS_FOUND, ...look };
      this.showLook();
      this.history.slider.value = sequence;
      return this.scrubTo(sequence);
    }

    showLook() {
      this.node.classList.toggle("is-elsewhere", !this.isAsFound());
      this.part("back").textContent = this.wayBack();
      const refine = this.part("refine");
      if (refine) refine.textContent = this.isOwnPlane() ? "Refine here" : "Polish from here";
      this.tell("look", this.look);
    }

    wayBack() {
      if (!this.isOwnPlane()) return "Back to the plane of the run";
      return `Shown at γ ${this.look.gamma}; back to γ ${this.gamma}`;
    }

    // The query of the plane on screen, with changes of the look.
    query(change = {}) {
      const { gamma, kept, morph, moves, from, toward } = {
        ...this.look,
        toward: Panel.reference(),
        ...change,
      };
      const asked = {
        gamma,
        kept,
        morph: morph && `${morph[0]}:${morph[1]}`,
        moves: moves.map((move) => move.join(":")).join(",") || null,
        from: from && from.join(":"),
        toward,
      };
      return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== null));
    }

    // One request at a time: what was asked for last wins.
    async ask(sequence) {
      const isBusy = this.asked !== null;
      this.asked = `${sequence}?${this.query()}`;
      if (isBusy) return;
      this.node.toggleAttribute("data-asking", true);
      try {
        let drawn = null;
        while (this.asked !== drawn) {
          const wanted = this.asked;
          const answer = await (this.ahead.get(wanted) ?? fetch(`runs/${this.run}/planes/${wanted}`));
          if (!answer?.ok) break;
          this.show({ ...(await answer.json()), address: wanted });
          await Panel.paintStale();
          await this.history.draw();
          drawn = wanted;
        }
      } catch {
        // The loop notices a lost server and says so.
      } finally {
        this.asked = null;
        this.node.toggleAttribute("data-asking", false);
      }
    }

    // Asks for the plane that a player will show next, to have it when this one is painted.
    lookAhead(sequence, change = {}) {
      const address = `${sequence}?${this.query(change)}`;
      const answer = fetch(`runs/${this.run}/planes/${address}`).catch(() => null);
      this.ahead = new Map([[address, answer]]);
    }

    // What has ended lies like the newest plane of the reference; and the reference, once it has
    // ended itself, takes the others along.
    alignAgain() {
      const reference = Panel.reference();
      if (reference === null) return;
      const turned = this.run === reference ? Panel.shown() : [this];
      turned.forEach((panel) => panel.run !== reference && panel.lookAgain());
    }

    // Shows once more what is on screen: what it lies like has changed.
    lookAgain() {
      if (this.plane && this.isFinal) this.ask(this.plane.sequence);
    }

    // Starts a run that climbs on from the plane on screen with the kernels on screen.
    refine() {
      return this.order(`planes/${this.plane.sequence}/refine?${this.query({ toward: null, from: null })}`);
    }

    // Tells the server to do something about this run; what is wrong stands above Run.
    async order(path) {
      const answer = await fetch(`runs/${this.run}/${path}`, { method: "POST" });
      const { revision, words } = answer.status === 204 ? {} : await answer.json();
      if (revision) setProps("revision", { data: revision });
      if (words) setProps("run-error", { children: words });
    }

    // The picture on screen with its title, on the colour of the card.
    savePicture(format) {
      const plot = this.part("plot");
      const { title } = this.node.dataset;
      const layout = {
        ...plot.layout,
        title: { text: title, x: 0.02, xanchor: "left", font: { size: 16 } },
        margin: { ...plot.layout.margin, t: 44 },
        paper_bgcolor: getComputedStyle(this.node).backgroundColor,
      };
      const size = { width: 1000, height: 800, scale: format === "png" ? 2 : 1 };
      const filename = this.node.getAttribute("aria-label").replace(/[^\p{L}\p{N}.]+/gu, "-");
      return window.Plotly.downloadImage({ data: plot.data, layout }, { format, filename, ...size });
    }

    async restyle() {
      if (!this.isShown()) return;
      await this.loadFigure();
      await this.paint(true);
      this.history.draw(true);
    }

    isShown() {
      return view.mode === "compare" || this.run === view.front;
    }

    // The panel of a node; anew where Dash has put up another node for the run, or given the node
    // to another run.
    static of(node) {
      const { run } = node.dataset;
      const known = Panel.known.get(run);
      if (known?.node === node) return known;
      for (const part of node.querySelectorAll(".plot, .curve")) window.Plotly.purge(part);
      const panel = new Panel(node);
      Panel.known.set(run, panel);
      if (known) panel.adopt(known);
      return panel;
    }

    // Paints what has a new plane or new axes, each once. Linked panels share the axes that hold
    // all of them: who grows takes the others along, so planes are shown first and painted here.
    static async paintStale() {
      for (const panel of Panel.shown()) {
        if (panel.isStale()) await panel.paint();
      }
    }

    // The run whose newest plane the others are turned to lie like.
    static reference() {
      const shown = Panel.shown();
      if (!view.aligned || shown.length < 2) return null;
      return (shown.find(({ run }) => run === view.reference) ?? shown[0]).run;
    }

    static all() {
      return [...document.querySelectorAll("[data-run]")].map(Panel.of);
    }

    // Those on screen in this mode.
    static shown() {
      return Panel.all().filter((panel) => panel.isShown());
    }

    static front() {
      return Panel.all().find((panel) => panel.run === view.front) ?? null;
    }
  }

  Panel.known = new Map();
  Panel.shared = { zoom: null };
  Panel.figures = new Map(); // promises of figures, by their address
  Panel.dressers = []; // functions (trace, panel, position) that change a trace before it is drawn

  async function fetchFigure(address) {
    const answer = await fetch(address).catch(() => null);
    if (answer?.ok) return answer.json();
    Panel.figures.delete(address); // to be asked for again
    throw new Error(`${address}: ${answer?.status ?? "no answer"}`);
  }

  // A picture fills its place, whatever changes that.
  function fitted(node, onFit) {
    new ResizeObserver(() => {
      if (node._fullLayout && node.clientWidth) window.Plotly.Plots.resize(node).then(onFit);
    }).observe(node);
  }

  function union(boxes) {
    const known = boxes.filter(Boolean);
    return [0, 1].map((axis) => [
      Math.min(...known.map((box) => box[axis][0])),
      Math.max(...known.map((box) => box[axis][1])),
    ]);
  }

  // New limits, unless the old ones hold them with little to spare.
  function settled(old, fresh) {
    if (!old) return fresh;
    return fresh.map(([low, high], axis) => {
      const [oldLow, oldHigh] = old[axis];
      const fits = low >= oldLow && high <= oldHigh;
      return fits && high - low > SHRINK_BELOW * (oldHigh - oldLow) ? [oldLow, oldHigh] : [low, high];
    });
  }

  window.studio.Panel = Panel;
})();
