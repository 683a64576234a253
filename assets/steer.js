// Taking a plane by hand: arrows moved, features left out, three components turned.
(() => {
  "use strict";

  const { view, extensions } = window.studio;
  const REACH_PX = 18; // how near to a tip the pointer takes its arrow
  const TURN_PER_PX = 0.008; // radians
  const DEGREES = 180 / Math.PI;

  class Steering {
    constructor(panel) {
      this.panel = panel;
      this.connectArrowLimit();
      this.connectKept();
      this.connectArrow();
      this.connectDirection();
      this.connectPointer();
      panel.node.addEventListener("panel:plane", ({ detail: plane }) => this.follow(plane));
    }

    tool(name) {
      return this.panel.part(name);
    }

    // What the tools show follows the plane, whoever changed it.
    follow(plane) {
      if (this.tool("arrow-limit")) this.followArrowLimit(plane);
      if (this.tool("kept")) this.followKept(plane);
      if (this.tool("arrow")) this.followArrows(plane);
    }

    // Arrows beyond so many are hidden, the weakest first.
    connectArrowLimit() {
      const slider = this.tool("arrow-limit");
      if (!slider) return;
      slider.addEventListener("input", () => {
        this.panel.arrowLimit = slider.value === slider.max ? Infinity : Number(slider.value);
        this.panel.paint(true);
      });
    }

    followArrowLimit({ arrows: { features } }) {
      const slider = this.tool("arrow-limit");
      slider.max = features.length;
      slider.value = Math.min(this.panel.arrowLimit, features.length);
    }

    // The slider ends at all features, one step beyond the most that have an arrow.
    connectKept() {
      const slider = this.tool("kept");
      if (!slider) return;
      slider.addEventListener("input", () => {
        const isAll = slider.value === slider.max;
        this.panel.lookAt({ kept: isAll ? null : Number(slider.value), moves: [] });
      });
    }

    followKept({ arrows, kept }) {
      const slider = this.tool("kept");
      const { nComponents, look } = this.panel;
      slider.min = nComponents;
      slider.max = Math.max(nComponents, Math.min(arrows.features.length, arrows.of - 1)) + 1;
      if (document.activeElement !== slider) slider.value = look.kept ?? slider.max;
      this.tool("kept-words").textContent = kept ?? "All features.";
      slider.setAttribute("aria-valuetext", look.kept === null ? "all features" : `${look.kept} features`);
    }

    // The arrow that is chosen by name is turned by its angle and stretched by its length.
    connectArrow() {
      const select = this.tool("arrow");
      if (!select) return;
      select.addEventListener("change", () => this.showArrow());
      for (const name of ["angle", "length"]) {
        this.tool(name).addEventListener("input", () => {
          const angle = Number(this.tool("angle").value) / DEGREES;
          const length = Number(this.tool("length").value) / 100;
          this.move(Number(select.value), length * Math.cos(angle), length * Math.sin(angle));
        });
      }
    }

    followArrows({ arrows }) {
      const select = this.tool("arrow");
      const names = arrows.features.join();
      if (select.dataset.features !== names && document.activeElement !== select) {
        const chosen = select.value;
        select.dataset.features = names;
        select.replaceChildren(
          ...arrows.features.map((feature, i) => new Option(arrows.names[i], feature)),
        );
        if (chosen && arrows.features.includes(Number(chosen))) select.value = chosen;
      }
      this.showArrow();
    }

    showArrow() {
      const [x, y] = this.loading(Number(this.tool("arrow").value)) ?? [0, 0];
      const set = (name, value, words) => {
        const slider = this.tool(name);
        if (document.activeElement !== slider) slider.value = value;
        slider.setAttribute("aria-valuetext", words);
      };
      const angle = Math.round(Math.atan2(y, x) * DEGREES);
      const length = Math.hypot(x, y);
      set("angle", angle, `${angle} degrees`);
      set("length", Math.round(100 * length), `loading ${length.toFixed(2)}`);
    }

    // The loadings that a feature has in the plane on screen.
    loading(feature) {
      const { arrows, traces } = this.panel.plane;
      const i = arrows.features.indexOf(feature);
      if (i < 0) return null;
      const { lines, heads } = arrowTraces(this.panel.figure, traces);
      return [0, 1].map((axis) => (heads["xy"[axis]][i] - lines["xy"[axis]][3 * i]) / arrows.scale);
    }

    // A feature that is moved again takes back its last move.
    move(feature, x, y) {
      const { moves } = this.panel.look;
      const before = moves.at(-1)?.[0] === feature ? moves.slice(0, -1) : moves;
      this.panel.history.pause();
      return this.panel.lookAt({ moves: [...before, [feature, rounded(x), rounded(y)]] });
    }

    connectDirection() {
      if (this.panel.nComponents !== 3) return;
      for (const name of ["side", "up"]) {
        this.tool(name).addEventListener("input", () => {
          this.turn(Number(this.tool("side").value) / DEGREES, Number(this.tool("up").value) / DEGREES);
        });
      }
      this.panel.node.addEventListener("panel:look", ({ detail: { from } }) => {
        const [side, up] = from ?? [0, 0];
        for (const [name, angle] of [["side", side], ["up", up]]) {
          const degrees = Math.round(angle * DEGREES);
          this.tool(name).value = degrees;
          this.tool(name).setAttribute("aria-valuetext", `${degrees} degrees`);
        }
      });
    }

    turn(side, up) {
      const within = (angle) => ((((angle + Math.PI) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI)) - Math.PI;
      return this.panel.lookAt({ from: [rounded(within(side)), rounded(within(up))] });
    }

    // Before plotly sees the pointer: an arrow near it is taken, and three components are turned.
    connectPointer() {
      const plot = this.panel.part("plot");
      plot.addEventListener("mousemove", (event) => {
        if (!this.drag) plot.classList.toggle("can-take", this.near(event) !== null);
      });
      plot.addEventListener(
        "mousedown",
        (event) => {
          const begun = event.button === 0 ? this.begin(event) : null;
          if (!begun) return;
          event.stopPropagation();
          event.preventDefault();
          this.follows(begun);
        },
        true,
      );
    }

    // What a movement of the pointer does from here on, if anything.
    begin(event) {
      if (view.mode === "compare" || view.drag !== "pan" || !this.panel.plane) return null;
      const arrow = this.near(event);
      if (arrow !== null) return (at) => this.dragArrow(arrow, at);
      if (this.panel.nComponents !== 3 || event.shiftKey) return null;
      const [side, up] = this.panel.look.from ?? [0, 0];
      const { clientX, clientY } = event;
      return (at) =>
        this.turn(side + TURN_PER_PX * (at.clientX - clientX), up + TURN_PER_PX * (at.clientY - clientY));
    }

    follows(move) {
      this.drag = move;
      const plot = this.panel.part("plot");
      plot.classList.add("is-taken");
      const end = () => {
        this.drag = null;
        plot.classList.remove("is-taken");
        removeEventListener("mousemove", move);
      };
      addEventListener("mousemove", move);
      addEventListener("mouseup", end, { once: true });
    }

    // The arrow whose tip is within reach, with what its movement is measured by.
    near(event) {
      const { panel } = this;
      const plot = panel.part("plot");
      if (!this.tool("arrow") || view.mode === "compare" || !view.arrows) return null;
      if (!panel.plane?.arrows.features.length || !plot._fullLayout) return null;
      const { lines, heads } = arrowTraces(panel.figure, panel.plane.traces);
      const at = pixels(plot, event);
      const distances = panel.plane.arrows.features.map((_, i) => {
        if (i >= panel.arrowLimit) return Infinity;
        const tip = toPixels(plot, [heads.x[i], heads.y[i]]);
        return Math.hypot(tip[0] - at[0], tip[1] - at[1]);
      });
      const nearest = distances.indexOf(Math.min(...distances));
      if (distances[nearest] > REACH_PX) return null;
      return {
        feature: panel.plane.arrows.features[nearest],
        foot: [lines.x[3 * nearest], lines.y[3 * nearest]],
        scale: panel.plane.arrows.scale,
      };
    }

    dragArrow({ feature, foot, scale }, event) {
      const plot = this.panel.part("plot");
      const at = toData(plot, pixels(plot, event));
      const loading = at.map((value, axis) => (value - foot[axis]) / scale);
      const select = this.tool("arrow");
      if ([...select.options].some(({ value }) => Number(value) === feature)) select.value = feature;
      return this.move(feature, ...loading);
    }
  }

  function arrowTraces(figure, traces) {
    const [lines, heads] = figure.plane.data.flatMap(({ meta }, i) => (meta === "arrow" ? [traces[i]] : []));
    return { lines, heads };
  }

  const rounded = (value) => Number(value.toFixed(4));

  function pixels(plot, { clientX, clientY }) {
    const box = plot.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top];
  }

  const axesOf = (plot) => [plot._fullLayout.xaxis, plot._fullLayout.yaxis];
  const toPixels = (plot, point) => axesOf(plot).map((axis, i) => axis._offset + axis.d2p(point[i]));
  const toData = (plot, point) => axesOf(plot).map((axis, i) => axis.p2d(point[i] - axis._offset));

  Object.assign(window.studio, { toPixels });

  // Arrows beyond the limit of the panel are not drawn.
  window.studio.Panel.dressers.push((trace, { arrowLimit }) => {
    if (trace.meta !== "arrow" || arrowLimit === undefined) return;
    const perArrow = trace.mode === "lines" ? 3 : 1;
    for (const key of ["x", "y"]) trace[key] = trace[key].slice(0, perArrow * arrowLimit);
  });

  extensions.push((panel) => {
    panel.arrowLimit = Infinity;
    panel.steering = new Steering(panel);
  });
})();
