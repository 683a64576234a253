// The frame loop: requests news of the shown runs and draws the newest plane of each. No request
// leaves while an answer waits to be drawn, so a slow page skips frames instead of queueing.
import { refusalOf } from "../page/answers.mjs";
import { byId, hide, onColorScheme, whenPresent, write } from "../page/dom.mjs";
import { chosenGamma } from "../page/settings.mjs";
import { onChange } from "../page/signals.mjs";
import { switches } from "../page/switches.mjs";
import { nextFrame } from "../plane/clock.mjs";
import { addToPanels } from "./features.mjs";
import { allPanels, paintStale, panelRuns, reference, referenceRun, shownPanels } from "./panels.mjs";
import { followRevision, runList } from "./run_list.mjs";
import { noteStates, stage } from "./runs.mjs";

const IDLE_MS = 1000;
// Between two news of a run that has ended, or whose picture is out of sight: many are as quick as those that are watched.
const SELDOM_MS = 900; // with the next request that is due
// Faster than the eye follows, and the run itself may need the same processor.
const LEAST_FRAME_MS = 60;
const DRAWING_MS = 30; // of several planes, about
// For so long the server holds an answer without the first plane that is awaited, if it can.
const HELD_MS = 300;
const LONGEST_WAIT_MS = 5000;
// An answer that takes longer is given up, or the loop would wait for it for ever.
const LONGEST_ANSWER_MS = 60_000;
const NO_SERVER = "The server does not answer; trying again. Runs continue without this page.";

// Requests for news of the runs: several in flight where the way to the server is long, so that it
// does not limit how often a plane arrives. Of the answers not yet taken only the newest counts; what
// an earlier one held of a run that is asked for seldom comes when that is due again.

const MOST_IN_FLIGHT = 4; // browsers open six connections, and other requests need some
const SMOOTHING = 0.3; // the weight of the last answer in the travel time

/** @typedef {{ took: number, [name: string]: any }} Answer `took` is the time of the server in ms. */

export class NewsRequests {
  /**
   * @param {() => Promise<Answer>} send
   * @param {() => number} now in ms
   */
  constructor(send, now = () => performance.now()) {
    this.send = send;
    this.now = now;
    this.nSent = 0;
    this.nInFlight = 0;
    this.newest = 0; // the number of the newest answer
    this.travel = 0; // time that an answer spends on the way, in ms
    this.lastAt = -Infinity;
    /** @type {Answer | Error | null} */
    this.arrived = null;
    this.onArrival = () => {};
  }

  /**
   * Sends a request; its answer, or the error, is then to be taken.
   * @param {number} [early] in ms before it is due: the next is not due earlier for it, nor much later where it is late
   */
  async begin(early = 0) {
    const number = (this.nSent += 1);
    const began = this.now();
    this.lastAt = began + Math.max(early, -DRAWING_MS);
    this.nInFlight += 1;
    const answer = await this.send().catch((error) => error);
    this.nInFlight -= 1;
    if (!(answer instanceof Error)) this.noteTravel(this.now() - began - answer.took);
    if (number > this.newest) {
      this.newest = number;
      this.arrived = answer;
    }
    this.onArrival(); // an answer that was overtaken may be all that the next request waits for
  }

  noteTravel(milliseconds) {
    this.travel += SMOOTHING * (Math.max(0, milliseconds) - this.travel);
  }

  /** The newest answer or error that was not taken yet. */
  take() {
    const { arrived } = this;
    this.arrived = null;
    return arrived;
  }

  /**
   * How long until the next request may leave, in ms; Infinity while an answer has to come first.
   * @param {number} spacing between two requests, in ms
   * @param {number} [every] how often an answer is likely to hold a plane, in ms
   */
  due(spacing, every = Infinity) {
    if (this.arrived) return Infinity;
    const most = Math.min(MOST_IN_FLIGHT, 1 + Math.round(this.travel / every));
    return this.nInFlight >= most ? Infinity : this.lastAt + spacing - this.now();
  }
}

const requests = new NewsRequests(fetchNews);
let failures = 0; // in a row
let hadPlane = false; // in the last answer
let isWoken = false; // there is news that the last request did not ask for
let endRest = () => {};

export function startRunLoop() {
  addToPanels(({ node }) => node.addEventListener("panel:sight", wake));
  onChange(Object.values(switches), () => shownPanels().forEach((panel) => panel.paint(true)));
  onChange([switches.aligned, reference], () => shownPanels().forEach((panel) => panel.refresh()));
  onChange(chosenGamma, () => shownPanels().forEach(showAtGamma));
  onChange(stage, () => {
    shownPanels().forEach((panel) => panel.refresh()); // each mode has an alignment of its own
    wake();
  });
  onColorScheme(() => allPanels().forEach((panel) => panel.restyle().catch(console.warn)));
  requests.onArrival = () => endRest();
  onChange(panelRuns, () => {
    begin();
    wake();
  });
  whenPresent("#panels-place", begin);
}

let hasBegun = false;

// With the first run, or once the page is there: until then, nothing is to delay it.
function begin() {
  if (!hasBegun) loop();
  hasBegun = true;
}

async function loop() {
  for (;;) {
    const answer = requests.take();
    if (answer) await takeIn(answer);
    if (requests.arrived) continue; // meanwhile, when there was no rest to end
    const wait = isWoken ? 0 : timeToNext();
    isWoken = false;
    if (wait <= 0) requests.begin(wait);
    else await rest(wait);
  }
}

/** How long until the next request leaves, in ms. */
function timeToNext() {
  if (failures) return requests.due(Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures));
  if (!watched().length) return requests.due(IDLE_MS);
  const every = hadPlane ? LEAST_FRAME_MS : Infinity;
  return requests.due(LEAST_FRAME_MS, isFirstAwaited() ? HELD_MS : every);
}

const watched = () => shownPanels().filter((panel) => !panel.isFinal && panel.isInSight());

/** Whether nothing is awaited but first planes. */
const isFirstAwaited = () => watched().length > 0 && watched().every(({ newest }) => newest < 0);

// Draws an answer, and waits until a plane in it is painted; out of sight, until the page is seen again.
async function takeIn(answer) {
  if (answer instanceof Error) {
    failures += 1;
    told = new WeakMap(); // what has failed meanwhile is tried again
    if (!isSilence(answer)) console.warn(answer);
  } else {
    failures = 0;
    await showNews(answer).catch(console.warn);
    if (hadPlane || document.hidden) await nextFrame();
  }
  showConnection(failures > 1 ? answer : null);
}

async function showNews(news) {
  if (news.wasRevision === runList.value.revision) followRevision(news.revision); // else a list was faster
  noteStates(news.states);
  hadPlane = Object.values(news.runs).some(({ plane }) => plane);
  for (const panel of shownPanels()) panel.newest = Math.max(panel.newest, news.runs[panel.run]?.sequences.at(-1) ?? -1);
  sendWhenDue();
  for (const panel of shownPanels()) await receive(panel, news.runs[panel.run], news.toward);
  paintStale();
}

// The server answers the next request while this answer is drawn, and none can leave.
function sendWhenDue() {
  const wait = timeToNext();
  if (wait <= DRAWING_MS) requests.begin(wait);
  else if (wait < IDLE_MS) setTimeout(sendWhenDue, wait);
}

/** The last news of each panel, if without a plane: while one run is awaited, those of the others stay the same. @type {WeakMap<Panel, string>} */
let told = new WeakMap();

// A panel that cannot draw its news does not delay the others.
async function receive(panel, news, toward) {
  if (!news || !panel.node.isConnected) return;
  const written = news.plane ? "" : JSON.stringify(news);
  if (written && written === told.get(panel)) return;
  told.set(panel, written);
  try {
    await panel.receive(news, toward);
  } catch (error) {
    panel.newest = -1; // what was not taken is asked for again
    console.warn(error);
  }
}

async function fetchNews() {
  const now = performance.now();
  const isDue = (panel) => now - panel.askedAt >= SELDOM_MS || (panel.isInSight() && !panel.isFinal);
  const asked = shownPanels().filter(isDue);
  for (const panel of asked) panel.askedAt = now;
  const query = new URLSearchParams(asked.map(({ run, sequence, newest }) => ["run", `${run}:${Math.max(sequence, newest)}`]));
  const toward = referenceRun();
  if (toward) query.set("toward", toward);
  if (isFirstAwaited()) query.set("first", "");
  const wasRevision = runList.value.revision;
  const answer = await fetch(`frames?${query}`, { signal: AbortSignal.timeout(LONGEST_ANSWER_MS) });
  if (!answer.ok) throw new Error(await refusalOf(answer));
  return { ...(await answer.json()), wasRevision, toward };
}

/** Whether a request failed or got no answer in time. @param {Error} error */
const isSilence = (error) => error instanceof TypeError || error.name === "TimeoutError";

/** @param {Error | null} error that keeps the page from its runs */
function showConnection(error) {
  const line = byId("connection");
  const message = !error ? "" : isSilence(error) ? NO_SERVER : error.message;
  if (!line) return;
  hide(line, !message);
  write(line, message);
}

// Until an answer arrives, something wakes the loop, or the next request is due.
function rest(milliseconds) {
  return new Promise((resolve) => {
    const timer = milliseconds < Infinity ? setTimeout(resolve, milliseconds) : undefined;
    endRest = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
  });
}

function wake() {
  isWoken = true;
  endRest();
}

// Finished runs are shown at the kernel width of the slider; at that of their search, as they were found.
function showAtGamma(panel) {
  const gamma = chosenGamma.value === panel.searchGamma ? panel.gamma : chosenGamma.value;
  if (panel.isFinal && gamma !== (panel.options.gamma ?? panel.gamma)) panel.changeGamma(gamma);
}
