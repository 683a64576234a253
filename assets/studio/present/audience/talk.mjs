// The page of a viewer: shows what the presenter shows, until the viewer looks around. Then the picture
// stays as it is, and "Follow" goes back to the talk.
import { element, fontReady, saveFile, write } from "../../page/dom.mjs";
import { decodedPlane, unpacked } from "../../plane/arrays.mjs";
import { steadyLimits } from "../../plane/scales.mjs";
import { Picture } from "../picture.mjs";
import { follow, KIND } from "./connection.mjs";

const OVER = "The talk has ended. Thank you for following.";
const NOTHING_YET = "The presenter has not shown a picture yet. It will appear here.";

export async function openTalk() {
  await fontReady();
  const talk = new Talk();
  follow(`${location.pathname}/pictures`, {
    have: () => ({ after: talk.newest?.number ?? -1, scene: talk.scene?.key ?? "" }),
    receive: (kind, content) => talk.receive(kind, content),
    lose: (message) => talk.showConnection(message),
    end: () => talk.sayInstead(OVER),
  });
}

class Talk {
  constructor() {
    /** @type {any} */
    this.scene = null; // of the newest picture
    /** @type {any} */
    this.newest = null; // what the presenter shows
    /** @type {any} */
    this.shown = null; // what is on screen, with its scene
    /** @type {Axes | null} */
    this.limits = null;
    this.nShown = 0; // pictures
    this.isFollowing = true;
    this.picture = new Picture(document.querySelector(".picture"), null, byPart("classes"));
    this.picture.onLook = () => this.follow(false); // lets go of the presenter
    byPart("return").onclick = () => this.goBack();
    byPart("save").onclick = () => this.picture.canvas.toBlob((image) => saveFile(image, "picture.png"));
    byPart("over").textContent = NOTHING_YET;
  }

  async receive(kind, content) {
    if (kind === KIND.scene) this.scene = await unpacked(content);
    if (kind !== KIND.picture) return;
    const picture = await unpacked(content);
    this.newest = decodedPlane({ ...picture, scene: this.scene });
    if (this.isFollowing) this.show(this.newest);
    else this.sayMode();
  }

  show(picture) {
    const isOther = this.shown?.scene !== picture.scene;
    this.limits = steadyLimits(isOther ? null : this.limits, picture.limits);
    this.shown = picture;
    this.picture.plot.dataset.drawn = String((this.nShown += 1));
    this.sayInstead(picture.isBlank ? `${BLANK}.` : null);
    byPart("save").hidden = !picture.scene.downloads;
    showWords(picture, this.picture.plot);
    showNumbers(picture);
    this.picture.scene = picture.scene;
    this.picture.show({ ...viewOf(picture), axes: this.limits });
  }

  goBack() {
    this.follow(true);
    this.show(this.newest);
  }

  follow(isFollowing) {
    this.isFollowing = isFollowing;
    byPart("return").hidden = isFollowing;
    this.sayMode();
  }

  sayMode() {
    byPart("mode").textContent = modeInWords(this.isFollowing, this.newest, this.shown);
  }

  /** @param {string | null} message */
  showConnection(message) {
    const node = this.shown ? byPart("connection") : byPart("over");
    if (this.shown) node.hidden = !message;
    node.textContent = message ?? (this.shown ? "" : NOTHING_YET);
  }

  /** Hides the talk behind a sentence, or shows it. @param {string | null} sentence */
  sayInstead(sentence) {
    const isHidden = sentence !== null;
    document.querySelectorAll("[data-part=talk], [data-part=classes]").forEach((node) => node.toggleAttribute("hidden", isHidden));
    byPart("over").hidden = !isHidden;
    byPart("over").textContent = sentence ?? "";
  }
}

/**
 * How a plane is viewed, as the presenter has switched it.
 * @param {any} picture
 * @returns {Partial<View>}
 */
export function viewOf(picture) {
  const { axes: zoom, classes, drawn: arrows, hidden, layers, selected, titles, unseen } = picture;
  return { plane: picture, zoom, classes, arrows, hidden, layers, selected, titles, unseen };
}

// The words around the picture of a viewer.

/** @param {string} name @returns {any} */
const byPart = (name) => document.querySelector(`[data-part="${name}"]`);

/** The title, how well the classes are told apart, and what is shown. @param {any} picture @param {HTMLElement} plot */
function showWords({ caption, position, run, lead, follow: rest, scene, isLive }, plot) {
  write(byPart("caption"), caption || run); // which is announced where it is another one
  write(byPart("position"), [isLive && "Live", position, caption && run].filter(Boolean).join(" · "));
  write(byPart("lead"), lead);
  write(byPart("follow"), rest);
  plot.setAttribute("aria-label", [`${run}: ${scene.names.join(", ")}.`, ...(lead ? [`${lead}; ${rest}`] : [])].join(" "));
}

const BLANK = "The presenter has blanked the screen";

/**
 * Whether a viewer follows, and what the presenter does meanwhile.
 * @param {boolean} isFollowing
 * @param {{ isBlank: boolean }} newest what the presenter shows
 * @param {{ isBlank: boolean }} shown what is on screen
 */
export function modeInWords(isFollowing, newest, shown) {
  if (isFollowing) return "Following the presenter";
  if (newest.isBlank) return BLANK;
  return newest === shown ? "Looking around" : "The presenter has moved on";
}

/** @param {any} picture */
function showNumbers({ numbers, scene }) {
  const rows = scene.drawn < scene.of ? [["Rows drawn", `${scene.drawn} of ${scene.of}`]] : [];
  const cells = [["Data", scene.data], ...numbers, ...rows].flatMap(([name, value]) => [element("dt", "", name), element("dd", "", value)]);
  byPart("numbers").replaceChildren(...cells);
}
