// All that the page knows of plotly, which draws the charts of the inspector.

let loading = null; // the promise of plotly

/**
 * Loads plotly, once. Its script is as large as half of what the page loads, and many visits draw no chart.
 * @returns {Promise<any>}
 */
function loadPlotly() {
  loading ??= new Promise((resolve, reject) => {
    /** @type {HTMLMetaElement} */
    const { content } = document.querySelector('meta[name="plotly-script"]');
    const script = Object.assign(document.createElement("script"), { src: content });
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => {
      loading = null; // the next chart tries again
      reject(new Error(`${content} could not be loaded.`));
    });
    document.head.append(script);
  });
  return loading;
}

const CONFIG = { displayModeBar: false, responsive: true };

/**
 * Draws a figure, or changes the one that is drawn.
 * @param {HTMLElement} plot
 * @param {object[]} traces
 * @param {object} layout
 * @param {object} [config] beyond that of every figure
 * @returns {Promise<unknown>}
 */
export async function draw(plot, traces, layout, config) {
  const plotly = window.Plotly ?? (await loadPlotly());
  return plotly.react(plot, traces, layout, { ...CONFIG, ...config });
}

/** Removes a figure. @param {Element} plot */
export const clear = (plot) => window.Plotly?.purge(plot);
