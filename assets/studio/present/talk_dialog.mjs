// The dialog of a talk: begin it, pass the link on, see how many follow, end it.
import { ID } from "../constants.mjs";
import { sentenceOf } from "../page/answers.mjs";
import { byId } from "../page/dom.mjs";
import { allow, beginTalk, endTalk, resumeTalk, talkNow, whenTalkChanges } from "./talk.mjs";

/** @type {HTMLDialogElement} */
let dialog;

/** Opens the dialog, with the talk that goes on in another tab too. */
export async function openTalkDialog() {
  dialog ??= connected(byId(ID.talk));
  if (!talkNow()) await resumeTalk();
  fill();
  dialog.showModal();
}

/** @param {HTMLDialogElement} node */
function connected(node) {
  dialog = node;
  for (const slot of /** @type {NodeListOf<HTMLElement>} */ (node.querySelectorAll("[data-allow]"))) {
    const box = Object.assign(document.createElement("input"), { type: "checkbox" });
    box.dataset.allow = slot.dataset.allow;
    box.addEventListener("change", () => talkNow() && act(() => allow(allowed())));
    slot.replaceWith(box);
  }
  part("close").onclick = () => node.close();
  part("begin").onclick = () => act(() => beginTalk(allowed()));
  part("end").onclick = () => act(endTalk);
  part("copy").onclick = () => act(copy);
  whenTalkChanges(fill);
  return node;
}

/** @returns {any} */
const part = (name) => dialog.querySelector(`[data-talk="${name}"]`);

/** @returns {any[]} */
const boxes = () => [...dialog.querySelectorAll("input[data-allow]")];

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
  const talk = talkNow();
  for (const box of boxes()) box.checked = talk?.[box.dataset.allow] ?? box.checked;
}

async function copy() {
  try {
    await navigator.clipboard.writeText(talkNow().link);
    return "Link copied.";
  } catch {
    return "The browser does not allow copying here. Select the link and copy it by hand.";
  }
}

function imageOf(code) {
  const image = new Image();
  image.alt = "The link as a QR code";
  image.src = `data:image/svg+xml,${encodeURIComponent(code)}`;
  return image;
}

/** @param {string} [reason] why there is no talk any more */
function fill(reason = "") {
  if (reason) part("words").textContent = reason;
  const talk = talkNow();
  part("on").hidden = part("end").hidden = !talk;
  part("begin").hidden = Boolean(talk);
  if (!talk) {
    part("code").replaceChildren();
    return;
  }
  const { link, code, is_only_here: isOnlyHere, viewers, expires_s: expires } = talk;
  if (part("link").textContent !== link) {
    Object.assign(part("link"), { textContent: link, href: link });
    part("code").replaceChildren(imageOf(code));
    showAllowed();
  }
  part("count").textContent = `${viewers} ${viewers === 1 ? "viewer" : "viewers"}`;
  const until = new Date(1000 * expires).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  part("until").textContent = `The link is valid until ${until}, or until you end the talk.`;
  part("note").hidden = !isOnlyHere;
}
