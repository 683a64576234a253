// The talk of the presenter and its dialog. While a talk goes on, what Present shows is sent whenever it has
// changed, one request after the other, so that the newest wins.
import { ask, sentenceOf } from "../page/answers.mjs";
import { byId, copied } from "../page/dom.mjs";
import { mode } from "../page/mode.mjs";
import { showNotice } from "../page/notice.mjs";
import { signal } from "../page/signals.mjs";
import { hiddenSwitches, shownLayers } from "../page/switches.mjs";
import { frontPanel } from "../panel/panels.mjs";
import { selectedRows, shownClasses } from "../rows/singled_out.mjs";
import { currentStory, toldView } from "../workspace/story.mjs";
import { positionLabel } from "../workspace/story_order.mjs";
import { keepTalk, keptTalk } from "./kept_talk.mjs";

/**
 * What the server says of a talk, as callbacks/routes/talks.py describes it.
 * @typedef {{ link: string, code: string, typed: string, is_only_here: boolean, expires_s: number, viewers: number,
 *   names: boolean, info: boolean, downloads: boolean }} TalkNow
 */

const LOOK_EVERY_MS = 150; // between two pictures viewers see the points glide
const COUNT_EVERY_MS = 2500;
const SAME_TIME_S = 60; // by which the clocks of browser and server may differ
const EXPIRED = "The talk has ended: its time is up, and its link no longer works. Use Share to begin another, with a new link.";
const NO_COPY = "The browser does not allow copying here. Select the link and copy it by hand.";
const ENDED = "The talk was ended in another tab. Use Share to begin another, with a new link.";

/** The talk that goes on. */
export const talkNow = signal(/** @type {TalkNow | null} */ (null));
let timer = 0;
let sent = ""; // what viewers see
let isSending = false;
let refusal = ""; // that was shown already
let countedAt = 0;
let isOnlyHere = false; // whether nobody else could open the link of a talk that began now
/** @type {HTMLDialogElement} */
let dialog;

/** Begins or ends the talk, or changes what it allows. @param {"" | "/allowed" | "/end"} what @param {Record<string, boolean>} allows */
export async function changeTalk(what, allows = {}) {
  follow((await ask(`talk${what}`, allows)).talk);
  if (!what) showNotice(null); // that the one before it has ended
}

/** Goes on with the talk of this browser after the page was loaded again. */
export async function resumeTalk() {
  const kept = keptTalk();
  const { talk, is_only_here: isLocal } = await ask("talk");
  isOnlyHere = Boolean(isLocal);
  follow(talk, talk || !kept ? "" : reasonOf(Number(kept)));
}

/** Why there is no talk any more. @param {number} expires in seconds */
const reasonOf = (expires) => (Date.now() / 1000 > expires - SAME_TIME_S ? EXPIRED : ENDED);

/** @param {TalkNow | null} talk @param {string} [reason] why there is none any more */
function follow(talk, reason = "") {
  talkNow.set(talk);
  sent = ""; // viewers get what is allowed with a picture
  clearInterval(timer);
  keepTalk(talk);
  if (talk) timer = setInterval(look, LOOK_EVERY_MS);
  if (reason) showNotice(reason);
  announce(reason);
}

// Only Present is shown: elsewhere a presenter may try things out.
function look() {
  if (isSending) return;
  const panel = frontPanel();
  const shown = mode.value === "present" && panel?.plane && panel.figure ? shownNow(panel) : null;
  // What is said of a plane changes while that stays, as fold follows fold.
  const key = shown && JSON.stringify([shown, panel.part("verdict-spoken").textContent]);
  if (key && key !== sent) send(key, shown);
  else if (performance.now() - countedAt > COUNT_EVERY_MS) count();
}

async function send(key, { query, body }) {
  sent = key; // what is refused once is not sent again
  await unlessBusy(async () => {
    const { viewers } = await ask(`talk/shown?${query}`, body);
    noteViewers(viewers);
    refusal = "";
  });
}

const count = () =>
  unlessBusy(async () => {
    const { talk } = await ask("talk");
    if (talk) noteViewers(talk.viewers);
    else follow(null, reasonOf(talkNow.value.expires_s));
  });

async function unlessBusy(request) {
  isSending = true;
  try {
    await request();
  } catch (error) {
    const message = sentenceOf(error);
    if (message !== refusal) showNotice(message, { briefly: true });
    refusal = message;
  } finally {
    countedAt = performance.now();
    isSending = false;
  }
}

function noteViewers(viewers) {
  const now = talkNow.value;
  if (!now || now.viewers === viewers) return;
  talkNow.set({ ...now, viewers });
  announce();
}

function announce(reason = "") {
  const now = talkNow.value;
  const button = document.querySelector('[data-bar="share"]');
  if (button) {
    button.textContent = now ? `Shared · ${now.viewers}` : "Share";
    button.setAttribute("aria-label", now ? `Shared talk, ${viewersIn(now)}` : "Share this talk with an audience");
  }
  byId("talk-address").textContent = now ? addressOf(now) : "";
  if (dialog) fill(reason);
}

// What Present shows of a run, as the audience of a talk is to see it.

/** @param {Panel} panel */
function shownNow(panel) {
  const { painting, plane, run } = panel;
  const arrows = painting.names?.drawnFeatures() ?? [];
  return {
    query: panel.query().toString(),
    body: {
      run,
      plane: plane.sequence,
      caption: byId("caption")?.textContent || (byId("title")?.textContent ?? ""),
      position: toldView.value ? positionLabel(currentStory.value) : "",
      rows: drawnRows(panel),
      arrows,
      unseen: arrows.filter((feature) => panel.unseen.has(feature)),
      classes: shownClasses.value,
      hidden: hiddenSwitches(),
      layers: shownLayers(),
      axes: painting.isZoomed() ? painting.axes() : null,
      isBlank: document.body.hasAttribute("data-blank"),
      isLive: panel.isLive && !panel.isFinal,
    },
  };
}

// Of the selected rows, those that are drawn: viewers see no others.
const drawnRows = ({ figure }) => selectedRows.value && figure.rows.flat().filter((row) => selectedRows.value.has(row));

/** Opens the dialog: begin a talk, pass its link on, see how many follow, end it. It knows the talk of another tab too. */
export async function openTalkDialog() {
  dialog ??= connected(byId("talk"));
  if (!talkNow.value) await resumeTalk();
  fill();
  dialog.showModal();
}

/** Fills the screen with the link of the talk and its code, which the last row can read; begins at the dialog where there is none. */
export async function showCode() {
  if (!talkNow.value) await resumeTalk();
  const now = talkNow.value;
  if (!now) return openTalkDialog();
  const screen = byId("talk-screen");
  screen.querySelector("div").replaceChildren(imageOf(now.code));
  screen.querySelector("p").textContent = addressOf(now);
  screen.onclick = () => screen.close();
  screen.onkeydown = (event) => {
    if (event.key.toLowerCase() !== "q") return;
    event.stopPropagation(); // the keys of Present would open it again
    screen.close();
  };
  return screen.showModal();
}

/** How many follow, in words. @param {{ viewers: number }} talk */
export const viewersIn = ({ viewers }) => `${viewers} ${viewers === 1 ? "viewer" : "viewers"}`;

/** What viewers without a camera type. @param {TalkNow} talk */
export const addressOf = ({ link, typed }) => `${link.replace(/^https?:\/\/|[^/]*$/g, "").replace(/\/$/, "")}  ·  ${typed.slice(0, 3)} ${typed.slice(3)}`;

/** @param {HTMLDialogElement} node */
function connected(node) {
  dialog = node;
  for (const box of boxes()) box.onchange = () => talkNow.value && act(() => changeTalk("/allowed", allowed()));
  part("begin").onclick = () => act(() => changeTalk("", allowed()));
  part("end").onclick = () => act(() => changeTalk("/end"));
  part("copy").onclick = () => act(copy);
  return node;
}

/** @returns {any} */
const part = (name) => dialog.querySelector(`[data-talk="${name}"]`);

/** @returns {any[]} */
const boxes = () => [...dialog.querySelectorAll("[data-allow]")];

const allowed = () => Object.fromEntries(boxes().map(({ dataset, checked }) => [dataset.allow, checked]));

async function act(action) {
  try {
    part("words").textContent = (await action()) ?? "";
  } catch (error) {
    part("words").textContent = sentenceOf(error);
    showAllowed();
  }
}

// What viewers may see, whatever was asked for.
function showAllowed() {
  const talk = talkNow.value;
  for (const box of boxes()) box.checked = talk?.[box.dataset.allow] ?? box.checked;
}

const copy = async () => ((await copied(talkNow.value.link)) ? "Link copied." : NO_COPY);

function imageOf(code) {
  const image = new Image();
  image.alt = "The link as a QR code";
  image.src = `data:image/svg+xml,${encodeURIComponent(code)}`;
  return image;
}

/** @param {string} [reason] why there is no talk any more */
function fill(reason = "") {
  if (reason) part("words").textContent = reason;
  const talk = talkNow.value;
  part("on").hidden = part("end").hidden = !talk;
  part("begin").hidden = Boolean(talk);
  part("note").hidden = !(talk ? talk.is_only_here : isOnlyHere);
  if (!talk) {
    part("code").replaceChildren();
    return;
  }
  const { link, code, expires_s: expires } = talk;
  if (part("link").textContent !== link) {
    Object.assign(part("link"), { textContent: link, href: link });
    part("code").replaceChildren(imageOf(code));
    part("typed").textContent = `Or to type: ${addressOf(talk)}`;
    showAllowed();
  }
  part("count").textContent = viewersIn(talk);
  const until = new Date(1000 * expires).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  part("until").textContent = `The link is valid until ${until}, or until you end the talk.`;
}
