// Rows and classes that are singled out, in every panel at once: the row under the pointer and
// the one that is marked are ringed, the rows that are selected stand out, and classes may be
// shown alone.
(() => {
  "use strict";

  const { Panel, view, extensions, numbers, whenPresent, setProps } = window.studio;
  const FAINT = 0.1;

  let hovered = null; // the row under the pointer
  let table = null; // what the rows and classes are of

  const indices = new WeakMap();

  // The trace that a row of the file is drawn by, and its place there.
  function placeOf(figure, row) {
    if (!indices.has(figure)) {
      const places = figure.rows.flatMap((rows, trace) => rows.map((known, i) => [known, [trace, i]]));
      indices.set(figure, new Map(places));
    }
    return indices.get(figure).get(row);
  }

  class Rings {
    constructor(panel) {
      this.panel = panel;
      const picture = panel.node.querySelector(".picture");
      for (const old of picture.querySelectorAll(".ring")) old.remove();
      this.hovered = ring("is-hovered");
      this.marked = ring("is-marked");
      picture.append(this.hovered, this.marked);
      panel.node.addEventListener("panel:painted", () => {
        this.listen();
        this.place();
      });
    }

    listen() {
      const plot = this.panel.part("plot");
      if (this.listensOn === plot || !plot.on) return; // plotly may not have drawn yet
      this.listensOn = plot;
      plot.on("plotly_hover", ({ points: [{ curveNumber, pointNumber }] }) =>
        point(this.panel.figure?.rows[curveNumber]?.[pointNumber] ?? null),
      );
      plot.on("plotly_unhover", () => point(null));
      plot.on("plotly_relayouting", () => this.place());
      // Without points it only tells that the outline of a selection is gone.
      plot.on("plotly_selected", (event) => event?.points.length && brush(this.rowsOf(event.points)));
      plot.on("plotly_deselect", () => brush([]));
    }

    rowsOf(points) {
      const { rows } = this.panel.figure;
      const found = points.map(({ curveNumber, pointNumber }) => rows[curveNumber][pointNumber]);
      return found.filter((row) => row !== undefined);
    }

    // Where the rows lie now.
    place() {
      for (const [node, row] of [[this.hovered, hovered], [this.marked, view.marked]]) {
        const at = row === null ? null : this.pixels(row);
        node.hidden = at === null;
        if (at) node.style.translate = `${at[0]}px ${at[1]}px`;
      }
    }

    // Null where the row is not drawn, or lies outside the picture.
    pixels(row) {
      const { figure, painted } = this.panel;
      const plot = this.panel.part("plot");
      const place = figure && painted && plot._fullLayout && placeOf(figure, row);
      if (!place) return null;
      const [trace, i] = place;
      const { x, y } = painted.traces[trace];
      const at = window.studio.toPixels(plot, [numbers(x)[i], numbers(y)[i]]);
      const isInside = at.every((pixel, axis) => pixel >= 0 && pixel <= [plot.clientWidth, plot.clientHeight][axis]);
      return isInside ? at : null;
    }
  }

  function ring(kind) {
    const node = document.createElement("span");
    node.className = `ring ${kind}`;
    node.hidden = true;
    return node;
  }

  const placeRings = () => Panel.shown().forEach((panel) => panel.rings.place());

  function point(row) {
    if (row === hovered) return;
    hovered = row;
    placeRings();
  }

  function mark(row) {
    view.marked = row;
    for (const button of document.querySelectorAll("[data-mark]")) {
      button.setAttribute("aria-pressed", Number(button.dataset.mark) === row);
    }
    placeRings();
  }

  function brush(rows) {
    if (!rows.length && !view.rows) return;
    view.rows = rows.length ? new Set(rows) : null;
    show();
  }

  function isolate(codes) {
    view.classes = codes?.length ? codes : null;
    show();
  }

  function show() {
    say();
    document.dispatchEvent(new Event("studio:view"));
  }

  function say() {
    const figure = Panel.shown().find((panel) => panel.figure)?.figure;
    tell("brushed", figure && view.rows && brushedWords(figure));
    tell("isolated", figure && view.classes && isolatedWords(figure));
    for (const button of document.querySelectorAll("[data-class]")) {
      button.setAttribute("aria-pressed", view.classes?.includes(Number(button.dataset.class)) ?? false);
    }
  }

  function tell(id, words) {
    const node = document.getElementById(id);
    node.hidden = !words;
    node.querySelector("[role=status]").textContent = words ?? "";
  }

  // How many rows of each class are selected; those that this panel draws.
  function brushedWords({ rows, classes }) {
    const counts = classes.map((name, code) => {
      const drawn = rows.flatMap((part, trace) => (trace % classes.length === code ? part : []));
      return [drawn.filter((row) => view.rows.has(row)).length, name];
    });
    const parts = counts.filter(([count]) => count).map(([count, name]) => `${count} ${name}`);
    const total = view.rows.size;
    return `${total} ${total === 1 ? "row" : "rows"} selected: ${parts.join(", ")}`;
  }

  function isolatedWords({ classes }) {
    const names = view.classes.map((code) => classes[code]);
    return `Only ${names.join(" and ")} ${names.length === 1 ? "is" : "are"} shown`;
  }

  // Selected rows stand out, and so do the classes that are shown alone.
  Panel.dressers.push((trace, { figure }, position) => {
    const { rows, classes } = figure;
    if (position >= 3 * classes.length) return;
    const isAside = view.classes !== null && !view.classes.includes(position % classes.length);
    if (trace.meta === "contour") {
      trace.visible = trace.visible && !isAside;
      return;
    }
    trace.customdata = rows[position];
    trace.hovertemplate = "%{fullData.name}, row %{customdata}<extra></extra>";
    if (isAside) Object.assign(trace, { opacity: FAINT, hoverinfo: "skip", hovertemplate: null });
    if (view.rows === null) return;
    trace.selectedpoints = rows[position].flatMap((row, i) => (view.rows.has(row) ? [i] : []));
    trace.selected = { marker: { opacity: 1 } };
    trace.unselected = { marker: { opacity: FAINT } };
  });

  extensions.push((panel) => {
    panel.rings = new Rings(panel);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-isolate], [data-class], [data-mark], #brushed button, #isolated button");
    if (!button) return;
    const { isolate: pair, class: code, mark: row } = button.dataset;
    if (pair) {
      isolate(pair.split(",").map(Number));
      setProps("check", { opened: false });
    } else if (code) {
      isolate(toggled(view.classes ?? [], Number(code)));
    } else if (row) {
      mark(view.marked === Number(row) ? null : Number(row));
    } else if (button.closest("#brushed")) {
      brush([]);
    } else {
      isolate(null);
    }
  });

  const toggled = (codes, code) =>
    codes.includes(code) ? codes.filter((known) => known !== code) : [...codes, code].sort((a, b) => a - b);

  whenPresent("[data-class]", () => say());

  const { studio } = window.dash_clientside;
  studio.setDrag = (drag) => {
    view.drag = drag;
    document.dispatchEvent(new Event("studio:view"));
  };

  // Another table has other rows and classes; one that is prepared otherwise has not.
  studio.setTable = (data) => {
    const shown = JSON.stringify([data?.source?.kind, data?.source?.key, data?.label]);
    if (table !== null && table !== shown) {
      mark(null);
      brush([]);
      isolate(null);
    }
    table = shown;
  };
})();
