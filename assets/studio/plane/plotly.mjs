// All that the page knows of plotly, which draws the charts of the inspector.
import { runScript } from "../page/dom.mjs";

const CONFIG = { displayModeBar: false, responsive: true };

/** Plotly, once it was asked for. @type {Promise<unknown> | null} */
let loading = null;

// Its script is as large as half of what the page loads, and many visits draw no chart.
function load() {
  const { content } = /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="plotly-script"]'));
  return runScript(content).catch((error) => {
    loading = null; // the next chart tries again
    throw error;
  });
}

/**
 * Draws a figure, or changes the one that is drawn.
 * @param {HTMLElement} plot
 * @param {object[]} traces
 * @param {object} layout
 * @param {object} [config] beyond that of every figure
 * @returns {Promise<unknown>}
 */
export async function draw(plot, traces, layout, config) {
  if (!window.Plotly) await (loading ??= load());
  return window.Plotly.react(plot, traces, layout, { ...CONFIG, ...config });
}

/** Removes a figure. @param {Element} plot */
export const clear = (plot) => window.Plotly?.purge(plot);
