// A panel: draws the planes of one run, its curve, its numbers and its history.
(() => {
  "use strict";

  const { view, scheme } = window.studio;
  const CONFIG = { displayModeBar: false, scrollZoom: true, responsive: true, doubleClick: false };
  const CURVE_CONFIG = { displayModeBar: false, responsive: true };
  // A picture that shrinks a little keeps its axes: a plane that turns should not also pump.
  const SHRINK_BELOW = 0.7;
  const CURVE_EVERY_MS = 250;
  // A run is played within about ten seconds, however many planes it has.
  const MOST_PLAYED = 150;
  const PLAYED_MS = 66;

  class Panel {
    constructor(node) {
      this.node = node;
      this.run = node.dataset.run;
      this.sequence = -1; // newest event known
      this.plane = null; // the plane on screen
      this.isLive = true; // following the run, not held by the slider
      this.isFinal = false;
      this.curve = { x: [], objective: [], best: [] };
      this.twins = new Map(); // the divergence of the unseen rows, of every plane that was shown
      this.limits = null;
      this.zoom = null; // the axes that the user chose
      this.gamma = Number(node.dataset.gamma); // of the run
      this.shownGamma = this.gamma; // of the kernels on screen
      this.asked = null; // the plane and kernel width that are asked for, "sequence@gamma"
      this.curveDrawnAt = 0;
      this.slider = this.buildSlider();
      this.part("back").onclick = () => this.lookAt(this.gamma);
      const refine = this.part("refine");
      if (refine) refine.onclick = () => this.refine().catch(console.warn);
    }

    part(name) {
      return this.node.querySelector(`[data-part="${name}"]`);
    }

    buildSlider() {
      const slider = document.createElement("input");
      Object.assign(slider, { type: "range", min: 0, max: 0, value: 0, disabled: true });
      slider.setAttribute("aria-label", "History of the run");
      slider.addEventListener("input", () => this.scrubTo(Number(slider.value)));
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "play", disabled: true });
      button.setAttribute("aria-label", "Play");
      button.addEventListener("click", () => this.play().catch(console.warn));
      this.playButton = button;
      this.part("scrubber").replaceChildren(button, slider);
      return slider;
    }

    async loadFigure() {
      const wanted = scheme();
      if (this.figure && this.figureScheme === wanted) return;
      const answer = await fetch(`runs/${this.run}/figure?scheme=${wanted}`);
      if (!answer.ok) throw new Error(`figure: ${answer.status}`);
      this.figure = await answer.json();
      this.figureScheme = wanted;
    }

    // News from the frames route: words, scalars, and perhaps a newer plane, not yet painted.
    async take(news) {
      await this.loadFigure();
      const hasEnded = news.is_final && !this.isFinal && this.run === Panel.reference();
      this.isFinal = news.is_final;
      if (hasEnded) Panel.all().forEach((panel) => panel !== this && panel.look());
      this.node.dataset.state = news.state;
      this.node.classList.toggle("is-single", news.is_final && this.sequence + news.sequences.length < 1);
      this.part("words").textContent = news.words;
      this.part("stop").hidden = news.is_final;
      this.showProgress(news);
      this.extendCurve(news);
      if (news.plane && this.isLive && this.shownGamma === this.gamma) this.show(news.plane);
      this.drawCurve();
    }

    showProgress({ fraction, is_final: isFinal }) {
      const bar = this.part("progress");
      bar.style.setProperty("--fraction", fraction);
      bar.classList.toggle("is-final", isFinal);
      bar.setAttribute("aria-valuenow", Math.round(100 * fraction));
    }

    extendCurve(news) {
      if (!news.sequences.length) return;
      this.curve.x.push(...news.sequences);
      this.curve.objective.push(...news.objective);
      this.curve.best.push(...news.best);
      this.sequence = news.sequences.at(-1);
      this.slider.max = this.sequence;
      this.slider.disabled = this.playButton.disabled = this.sequence < 1;
      if (this.isLive) this.slider.value = this.sequence;
    }

    show(plane) {
      this.plane = plane;
      this.limits = settled(this.limits, plane.limits);
      this.showNumbers(plane.numbers);
      if (plane.twin !== null && !("gamma" in plane)) this.twins.set(plane.sequence, plane.twin);
      this.part("drawn").textContent = plane.drawn;
      this.slider.setAttribute("aria-valuetext", `plane ${plane.sequence + 1} of ${this.sequence + 1}`);
      this.part("plot").setAttribute("aria-label", plane.caption);
    }

    // The plane on screen with the view that is set now.
    async paint() {
      if (!this.plane || !this.figure) return;
      const { plane } = this;
      const traces = this.figure.plane.data.map((style, i) => dressed(style, plane.traces[i]));
      const axes = this.axes();
      this.painted = plane;
      this.paintedAxes = String(axes);
      await window.Plotly.react(this.part("plot"), traces, this.planeLayout(axes), CONFIG);
      this.listenForZoom();
      this.node.dataset.sequence = plane.sequence;
      this.node.dataset.divergence = plane.numbers["divergence-seen"];
    }

    isStale() {
      return this.plane && (this.painted !== this.plane || this.paintedAxes !== String(this.axes()));
    }

    planeLayout([x, y]) {
      const base = this.figure.plane.layout;
      return {
        ...base,
        xaxis: { ...base.xaxis, range: [...x], autorange: false },
        yaxis: { ...base.yaxis, range: [...y], autorange: false },
      };
    }

    axes() {
      const source = view.linked ? Panel.shared : this;
      return source.zoom ?? (view.linked ? union(Panel.all().map((panel) => panel.limits)) : this.limits);
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
      (view.linked ? Panel.shared : this).zoom = zoom;
      Panel.paintStale();
    }

    showNumbers(numbers) {
      for (const [name, value] of Object.entries(numbers)) {
        const cell = this.part(name);
        cell.textContent = value === null ? "–" : value.toPrecision(3);
        cell.title = value === null ? "A class has no unseen row" : String(value);
      }
    }

    drawCurve(isUrgent = this.isFinal) {
      const now = performance.now();
      if (this.shownGamma !== this.gamma) return;
      if (!isUrgent && now - this.curveDrawnAt < CURVE_EVERY_MS) return;
      const drawn = `${this.sequence}/${this.plane?.sequence}/${this.figureScheme}`;
      if (drawn === this.curveDrawn || !this.curve.x.length) return;
      this.curveDrawn = drawn;
      this.curveDrawnAt = now;
      const { data, layout } = this.figure.curve;
      const { x, objective, best } = this.curve;
      const [steps, top, unseen] = data;
      const twins = [...this.twins].sort(([one], [other]) => one - other);
      const at = this.plane?.sequence ?? this.sequence;
      window.Plotly.react(
        this.part("curve"),
        [
          { ...steps, x: [...x], y: [...objective] },
          { ...top, x: [...x], y: [...best] },
          { ...unseen, x: twins.map(([sequence]) => sequence), y: twins.map(([, twin]) => twin) },
        ],
        {
          ...layout,
          xaxis: { ...layout.xaxis, range: [0, Math.max(1, this.sequence)] },
          shapes: [{ ...layout.shapes[0], x0: at, x1: at }],
        },
        CURVE_CONFIG,
      );
    }

    // Shows an earlier plane.
    scrubTo(sequence) {
      this.isLive = sequence === this.sequence;
      return this.ask(sequence, this.shownGamma);
    }

    // Shows the plane on screen with kernels of another width, once its run has ended.
    lookAt(gamma) {
      if (!this.isFinal || !this.plane || gamma === this.shownGamma) return null;
      this.shownGamma = gamma;
      this.node.classList.toggle("is-elsewhere", gamma !== this.gamma);
      this.part("back").textContent = `Shown at γ ${gamma}; back to γ ${this.gamma}`;
      return this.ask(this.plane.sequence, gamma);
    }

    // One request at a time: what was asked for last wins.
    async ask(sequence, gamma) {
      const isBusy = this.asked !== null;
      this.asked = `${sequence}@${gamma}`;
      if (isBusy) return;
      try {
        let drawn = null;
        while (this.asked !== drawn) {
          const wanted = this.asked;
          const [plane, width] = wanted.split("@").map(Number);
          const query = new URLSearchParams(width === this.gamma ? {} : { gamma: width });
          if (Panel.reference()) query.set("toward", Panel.reference());
          const answer = await fetch(`runs/${this.run}/planes/${plane}?${query}`);
          if (!answer.ok) break;
          this.show(await answer.json());
          await Panel.paintStale();
          await this.drawHistory(width);
          drawn = wanted;
        }
      } catch {
        // The loop notices a lost server and says so.
      } finally {
        this.asked = null;
      }
    }

    // Shows once more what is on screen: what it lies like has changed.
    look() {
      if (this.plane && this.isFinal) this.ask(this.plane.sequence, this.shownGamma);
    }

    // Along the run; or, at another kernel width than the run's, the divergence by kernel width.
    async drawHistory(gamma) {
      if (gamma === this.gamma) return this.drawCurve(true);
      const { sequence } = this.plane;
      if (this.profiled !== sequence) {
        const answer = await fetch(`runs/${this.run}/planes/${sequence}/profile`);
        if (!answer.ok) return;
        this.profile = await answer.json();
        this.profiled = sequence;
      }
      this.drawProfile(gamma);
    }

    drawProfile(gamma) {
      const { data, layout } = this.figure.curve;
      const [, top, unseen] = data;
      const x = this.profile.gammas.map(Math.log10);
      const at = Math.log10(gamma);
      this.curveDrawn = null;
      window.Plotly.react(
        this.part("curve"),
        [
          { ...top, x, y: this.profile.seen, line: { ...top.line, shape: "linear" }, hovertemplate: "%{y:.4g}<extra>seen rows</extra>" },
          { ...unseen, x, y: this.profile.unseen },
        ],
        {
          ...layout,
          annotations: [{ ...layout.annotations[0], text: "divergence by γ, seen and unseen" }],
          xaxis: { ...layout.xaxis, range: [x[0], x.at(-1)] },
          shapes: [{ ...layout.shapes[0], x0: at, x1: at }],
        },
        CURVE_CONFIG,
      );
    }

    // Starts a run that climbs on from the plane on screen with the kernels on screen.
    async refine() {
      const path = `runs/${this.run}/planes/${this.plane.sequence}/refine?gamma=${this.shownGamma}`;
      const answer = await fetch(path, { method: "POST" });
      const { revision, words } = await answer.json();
      const { set_props: set } = window.dash_clientside;
      if (revision) set("revision", { data: revision });
      else set("run-error", { children: words });
    }

    // The picture on screen with its title, on the colour of the card.
    savePicture(format) {
      const plot = this.part("plot");
      const title = this.node.querySelector(".panel-title").textContent;
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

    // Plays the run from its beginning, or from the plane on screen, at the pace of the painting.
    async play() {
      if (this.isPlaying) return this.pause();
      this.isPlaying = true;
      this.playButton.classList.add("is-playing");
      this.playButton.setAttribute("aria-label", "Pause");
      let at = this.plane.sequence >= this.sequence ? 0 : this.plane.sequence;
      const stride = Math.max(1, Math.round(this.sequence / MOST_PLAYED));
      while (this.isPlaying && this.node.isConnected) {
        this.slider.value = at;
        const began = performance.now();
        await this.scrubTo(at);
        if (at >= this.sequence) break;
        at = Math.min(at + stride, this.sequence);
        await new Promise((resolve) => setTimeout(resolve, began + PLAYED_MS - performance.now()));
      }
      return this.pause();
    }

    pause() {
      this.isPlaying = false;
      this.playButton.classList.remove("is-playing");
      this.playButton.setAttribute("aria-label", "Play");
    }

    async restyle() {
      this.figure = null;
      await this.loadFigure();
      await this.paint();
      this.drawCurve(true);
    }

    // The panel of a node; anew where Dash has given the node to another run.
    static of(node) {
      const known = Panel.known.get(node);
      if (known?.run === node.dataset.run) return known;
      for (const part of node.querySelectorAll(".plot, .curve")) window.Plotly.purge(part);
      const panel = new Panel(node);
      Panel.known.set(node, panel);
      return panel;
    }

    // Paints what has a new plane or new axes, each once. Linked panels share the axes that hold
    // all of them: who grows takes the others along, so planes are shown first and painted here.
    static async paintStale() {
      for (const panel of Panel.all()) {
        if (panel.isStale()) await panel.paint();
      }
    }

    // The run whose newest plane the others are turned to lie like.
    static reference() {
      return view.aligned ? (Panel.all()[0]?.run ?? null) : null;
    }

    static all() {
      return [...document.querySelectorAll("[data-run]")].map(Panel.of);
    }
  }

  Panel.known = new WeakMap();
  Panel.shared = { zoom: null };

  function dressed(style, arrays) {
    const trace = { ...style, ...arrays };
    if (arrays.marker) trace.marker = { ...style.marker, ...arrays.marker };
    if (style.meta === "contour") trace.visible = view.contours;
    if (style.meta === "arrow") trace.visible = view.arrows;
    return trace;
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
