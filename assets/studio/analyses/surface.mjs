// The decision surface: requests the figure of the chosen machine and draws it.
import { noUpdate, provideCallbacks } from "../page/dash.mjs";
import { byId, colorScheme } from "../page/dom.mjs";
import { clear, draw } from "../plane/plotly.mjs";

const NO_SERVER = "The server does not answer; close this view and try again.";

let newest = 0; // the number of the last request, which wins

export const connectSurface = () => provideCallbacks({ showSurface });

async function showSurface(run, kind, side, method, opened) {
  if (!run || !opened) return noUpdate();
  const request = ++newest;
  const plot = byId("surface-plot");
  plot.dataset.state = "waiting";
  try {
    const query = new URLSearchParams({ kind, method, class: side, scheme: colorScheme() });
    const answer = await fetch(`runs/${run}/surface?${query}`);
    const { words: message, figure } = await answer.json();
    if (request !== newest) return noUpdate();
    if (figure) await draw(plot, figure.data, figure.layout, { scrollZoom: true });
    else clear(plot);
    plot.dataset.state = figure ? "drawn" : "refused";
    plot.setAttribute("aria-label", message);
    return message;
  } catch (error) {
    console.warn(error);
    plot.dataset.state = "refused";
    return NO_SERVER;
  }
}
