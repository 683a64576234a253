// The history of a run: its curve, the slider through its planes, and the player.
(() => {
  "use strict";

  const { rangeInput, playButton } = window.studio;
  const CONFIG = { displayModeBar: false, responsive: true };
  const DRAWN_EVERY_MS = 250;
  const SCRUBBED_EVERY_MS = 1000; // the curve of a run that has ended hardly changes
  // A run is played within about ten seconds, however many planes it has.
  const MOST_PLAYED = 150;
  const PLAYED_MS = 66;

  class History {
    constructor(panel) {
      this.panel = panel;
      this.x = [];
      this.objective = [];
      this.best = [];
      this.starts = [];
      this.newestStartBefore = [];
      this.twins = new Map(); // the divergence of the unseen rows, of every plane that was shown
      this.passed = { name: null, points: new Map() }; // of the way to another run
      this.drawnAt = performance.now(); // the picture of a first plane does not wait for the curve
      this.speed = 1;
      this.build();
    }

    build() {
      this.slider = rangeInput("History of the run", { min: 0, max: 0, value: 0, disabled: true });
      this.slider.addEventListener("input", () => this.panel.scrubTo(Number(this.slider.value)));
      this.button = playButton("Play", () => this.play());
      this.panel.part("scrubber").replaceChildren(this.button, this.slider);
    }

    // What another one of the same run knows already.
    adopt({ x, objective, best, starts, newestStartBefore, twins, speed }) {
      Object.assign(this, { x, objective, best, starts, newestStartBefore, twins, speed });
      this.showLength();
    }

    extend(news) {
      this.x.push(...news.sequences);
      this.objective.push(...news.objective);
      this.best.push(...news.best);
      for (const start of news.starts) {
        this.newestStartBefore.push(Math.max(this.newestStartBefore.at(-1) ?? 0, this.starts.at(-1) ?? start));
        this.starts.push(start);
      }
      this.showLength();
    }

    showLength() {
      this.slider.max = this.panel.sequence;
      this.slider.disabled = this.button.disabled = this.panel.sequence < 1;
      if (this.panel.isLive) this.slider.value = this.panel.sequence;
    }

    show(plane) {
      if (plane.address) this.keepWay(plane);
      if (plane.twin !== null && this.panel.isAsFound()) this.twins.set(plane.sequence, plane.twin);
      const words = `plane ${plane.sequence + 1} of ${this.panel.sequence + 1}`;
      this.slider.setAttribute("aria-valuetext", words);
    }

    // Along the run; or, at another kernel width than the run's, the divergence by kernel width;
    // or, between two runs, the divergence along the way from one to the other. A curve that grows
    // is drawn a few times a second, more seldom among others; its cursor moves with every plane.
    async draw(isUrgent = false) {
      clearTimeout(this.timer);
      const every = this.panel.isFinal ? SCRUBBED_EVERY_MS : DRAWN_EVERY_MS * window.studio.Panel.shown().length;
      const wait = this.drawnAt + every - performance.now();
      if (!isUrgent && wait > 0) this.timer = setTimeout(() => this.draw(true), wait);
      else await this.drawPicture();
      this.moveCursor();
    }

    async drawPicture() {
      const { look, figure, figureScheme } = this.panel;
      const picture = await (look.morph ? this.way() : look.gamma === null ? this.curve() : this.profile());
      const name = picture && `${picture.name}/${figureScheme}`;
      if (!picture || name === this.drawn) return;
      this.drawn = name;
      this.drawnAt = performance.now();
      const { layout } = figure.curve;
      const annotations = layout.annotations.map((note) => ({ ...note, text: picture.caption ?? note.text }));
      const xaxis = { ...layout.xaxis, range: picture.range };
      const drawn = { ...layout, annotations, xaxis };
      await window.Plotly.react(this.panel.part("curve"), picture.traces, drawn, CONFIG);
    }

    // Where on its curve the plane on screen is.
    moveCursor() {
      const { look, plane, sequence } = this.panel;
      const axis = this.panel.part("curve")._fullLayout?.xaxis;
      if (!axis) return;
      const along = plane?.sequence ?? sequence;
      const at = look.morph ? look.morph[1] : look.gamma === null ? along : Math.log10(look.gamma);
      const [low, high] = axis.range;
      const share = Math.min(1, (at - low) / (high - low)); // the curve may be a few planes behind
      const left = axis._offset + share * axis._length;
      this.panel.part("cursor").style.transform = `translateX(${left.toFixed(1)}px)`;
    }

    curve() {
      if (!this.x.length) return null;
      const [steps, top, unseen, starts, records] = this.panel.figure.curve.data;
      const twins = [...this.twins].sort(([one], [other]) => one - other);
      return {
        name: `curve ${this.panel.sequence}/${twins.length}`,
        range: [0, Math.max(1, this.panel.sequence)],
        traces: [
          { ...steps, x: [...this.x], y: [...this.objective] },
          { ...top, x: [...this.x], y: [...this.best] },
          { ...unseen, x: twins.map(([sequence]) => sequence), y: twins.map(([, twin]) => twin) },
          { ...starts, ...this.at(this.objective, (i) => this.isStart(i)) },
          { ...records, ...this.at(this.best, (i) => this.isRecord(i)) },
        ],
      };
    }

    // The points of a curve that are marked.
    at(values, isMarked) {
      const marked = this.x.map((_, i) => i).filter(isMarked);
      return { x: marked.map((i) => this.x[i]), y: marked.map((i) => values[i]) };
    }

    // The first plane of a start; starts that race take turns.
    isStart(i) {
      return this.starts[i] > this.newestStartBefore[i];
    }

    // The last plane of a climb beyond all before.
    isRecord(i) {
      const isBetter = i > 0 && this.best[i] > this.best[i - 1];
      return isBetter && !(this.best[i + 1] > this.best[i]);
    }

    // What was shown of the way to another run.
    way() {
      const points = [...this.passed.points].sort(([one], [other]) => one - other);
      return {
        name: `way ${this.passed.name}/${points.length}`,
        caption: "divergence along the way",
        range: [0, 1],
        traces: this.seenAndUnseen(
          points.map(([share]) => share),
          points.map(([, [seen]]) => seen),
          points.map(([, [, twin]]) => twin),
        ),
      };
    }

    seenAndUnseen(x, seen, twins) {
      const [, top, unseen] = this.panel.figure.curve.data;
      const hovertemplate = "%{y:.4g}<extra>seen rows</extra>";
      return [
        { ...top, x, y: seen, line: { ...top.line, shape: "linear" }, hovertemplate },
        { ...unseen, mode: "lines", x, y: twins },
      ];
    }

    // The divergences on the way to another run, by the share of the way.
    keepWay({ address, sequence, numbers }) {
      const [other, share] = new URLSearchParams(address.split("?")[1]).get("morph")?.split(":") ?? [];
      if (!other) return;
      const name = `${sequence} to ${other}`;
      if (this.passed.name !== name) this.passed = { name, points: new Map() };
      this.passed.points.set(Number(share), [numbers["divergence-seen"], numbers["divergence-unseen"]]);
    }

    async profile() {
      const { panel } = this;
      const query = panel.query({ gamma: null, toward: null });
      const asked = `${panel.plane.sequence}?${query}`;
      if (this.measured?.asked !== asked) {
        const answer = await fetch(`runs/${panel.run}/planes/${panel.plane.sequence}/profile?${query}`);
        if (!answer.ok) return null;
        this.measured = { asked, ...(await answer.json()) };
      }
      if (panel.look.gamma === null) return null; // meanwhile looked at as it was found
      const x = this.measured.gammas.map(Math.log10);
      return {
        name: `profile ${asked}`,
        caption: "divergence by γ, seen and unseen",
        range: [x[0], x.at(-1)],
        traces: this.seenAndUnseen(x, this.measured.seen, this.measured.unseen),
      };
    }

    // Plays the run from its beginning, or from the plane on screen, at the pace of the painting.
    async play() {
      if (this.isPlaying) return this.pause();
      this.setPlaying(true);
      const { panel } = this;
      const last = panel.sequence;
      const pace = this.speed * Math.max(1, last / MOST_PLAYED); // planes in PLAYED_MS
      const stride = Math.max(1, pace);
      let at = panel.plane.sequence >= last ? 0 : panel.plane.sequence;
      while (this.isPlaying && panel.node.isConnected) {
        this.slider.value = Math.round(at);
        const began = performance.now();
        const shown = panel.scrubTo(Math.round(at));
        const next = Math.min(at + stride, last);
        if (at < last) panel.lookAhead(Math.round(next));
        await shown;
        if (at >= last) break;
        at = next;
        const until = began + (PLAYED_MS * stride) / pace;
        await new Promise((resolve) => setTimeout(resolve, until - performance.now()));
      }
      return this.pause();
    }

    pause() {
      this.setPlaying(false);
    }

    setPlaying(isPlaying) {
      this.isPlaying = isPlaying;
      this.button.classList.toggle("is-playing", isPlaying);
      this.button.setAttribute("aria-label", isPlaying ? "Pause playing" : "Play");
    }
  }

  window.studio.History = History;
})();
