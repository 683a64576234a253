// The decision surface: asks for the figure of the machine that is chosen, and draws it.
(() => {
  "use strict";

  const { scheme } = window.studio;
  const CONFIG = { displayModeBar: false, scrollZoom: true, responsive: true };
  let newest = 0;

  // Words about what is drawn; the latest choice wins.
  window.dash_clientside.studio.showSurface = async (run, kind, side, method, opened) => {
    if (!run || !opened) return window.dash_clientside.no_update;
    const asked = ++newest;
    const plot = document.getElementById("surface-plot");
    plot.dataset.state = "waiting";
    try {
      const query = new URLSearchParams({ kind, method, class: side, scheme: scheme() });
      const answer = await fetch(`runs/${run}/surface?${query}`);
      const { words, figure } = await answer.json();
      if (asked !== newest) return window.dash_clientside.no_update;
      if (figure) await window.Plotly.react(plot, figure.data, figure.layout, CONFIG);
      else window.Plotly.purge(plot);
      plot.dataset.state = figure ? "drawn" : "refused";
      plot.setAttribute("aria-label", words);
      return words;
    } catch (error) {
      console.warn(error);
      plot.dataset.state = "refused";
      return "The server does not answer; close this view and try again.";
    }
  };
})();
