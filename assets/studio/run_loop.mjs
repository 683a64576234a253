// The frame loop: requests the newest plane of every panel, draws it, and requests again. The next
// request leaves when the last frame is painted, so a slow page skips frames instead of queueing.
import { ID } from "./constants.mjs";
import { setProps } from "./page/dash.mjs";
import { byId, wait, whenPresent } from "./page/dom.mjs";
import { allPanels, paintStale, referenceRun, shownPanels } from "./panel/panels.mjs";
import { onChange, state, update } from "./state.mjs";

/** @typedef {import("./panel/panel.mjs").Panel} Panel */

const IDLE_MS = 1000;
// Faster than the eye follows, and the run itself may need the same processor.
const LEAST_FRAME_MS = 60;
// Until the first plane is there, nothing else is watched.
const FIRST_FRAME_MS = 20;
const LONGEST_WAIT_MS = 5000;
const NO_SERVER = "The server does not answer; trying again. Runs continue without this page.";

let failures = 0; // in a row
let isWoken = false; // there is news that the last request did not ask for
let endRest = () => {};

export function startRunLoop() {
  whenPresent("[data-run]", () => wake());
  onChange("view", () => shownPanels().forEach((panel) => panel.paint(true)));
  onChange("aligned", () => shownPanels().forEach((panel) => panel.refresh()));
  onChange("gamma", () => shownPanels().forEach(showAtGamma));
  onChange("mode", () => {
    shownPanels().forEach((panel) => panel.refresh()); // each mode has an alignment of its own
    wake();
  });
  followColorScheme();
  whenPresent(`#${ID.panels}`, loop);
}

async function loop() {
  for (;;) {
    const began = performance.now();
    const panels = shownPanels();
    await step(panels);
    await painted();
    if (failures) await rest(Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures));
    else await rest(began + interval(panels) - performance.now());
  }
}

/**
 * How long after one request the next one leaves, in ms.
 * @param {Panel[]} panels
 */
function interval(panels) {
  const active = panels.filter((panel) => !panel.isFinal);
  if (!active.length) return IDLE_MS;
  const isFirst = active.some(({ node, plane }) => node.dataset.state === "running" && !plane);
  return isFirst ? FIRST_FRAME_MS : LEAST_FRAME_MS;
}

// One request and the drawing of its answer.
async function step(panels) {
  try {
    const news = await fetchNews(panels);
    failures = 0;
    followRevision(news.revision);
    update({ states: news.states }, "states");
    for (const panel of panels) await receive(panel, news.runs[panel.run]);
    await paintStale();
  } catch (error) {
    failures += 1;
    if (!(error instanceof TypeError)) console.warn(error); // a TypeError is a failed fetch
  }
  showConnection(failures > 1);
}

// A panel that cannot draw its news does not delay the others.
async function receive(panel, news) {
  if (!news || !panel.node.isConnected) return;
  try {
    await panel.receive(news);
  } catch (error) {
    console.warn(error);
  }
}

async function fetchNews(panels) {
  const query = new URLSearchParams(panels.map(({ run, sequence }) => ["run", `${run}:${sequence}`]));
  const reference = referenceRun();
  if (reference) query.set("toward", reference);
  const answer = await fetch(`frames?${query}`);
  if (!answer.ok) throw new Error(`frames: ${answer.status}`);
  return answer.json();
}

// If another tab has started or removed a run, the page lists the runs again.
function followRevision(revision) {
  if (state.revision !== null && state.revision !== revision) {
    setProps(ID.revision, { data: revision });
  }
  update({ revision });
}

function showConnection(isLost) {
  const line = byId(ID.connection);
  if (!line || line.hidden === !isLost) return;
  line.hidden = !isLost;
  line.textContent = isLost ? NO_SERVER : "";
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

async function rest(milliseconds) {
  if (!isWoken) {
    const woken = new Promise((resolve) => (endRest = () => resolve(undefined)));
    await Promise.race([woken, wait(milliseconds)]);
  }
  isWoken = false;
}

function wake() {
  isWoken = true;
  endRest();
}

// Finished runs are shown at the kernel width of the slider, whatever they ran with.
function showAtGamma(panel) {
  if (panel.isFinal && state.gamma !== (panel.options.gamma ?? panel.gamma)) panel.changeGamma(state.gamma);
}

function followColorScheme() {
  const restyle = () => allPanels().forEach((panel) => panel.restyle().catch(console.warn));
  const attributeFilter = ["data-mantine-color-scheme"];
  new MutationObserver(restyle).observe(document.documentElement, { attributes: true, attributeFilter });
}
