// The page of a viewer: shows what the presenter shows, until the viewer looks around. Then the picture
// stays as it is, and "Follow" goes back to the talk.
import { element, fontReady, saveFile, span, write } from "../../page/dom.mjs";
import { decodedPlane, unpacked } from "../../plane/arrays.mjs";
import { lookAround } from "../../plane/looking_around.mjs";
import { Painter } from "../../plane/painter.mjs";
import { steadyLimits } from "../../plane/scales.mjs";
import { showClasses } from "../class_buttons.mjs";
import { follow, KIND } from "./connection.mjs";
import { onScheme, schemeNow } from "../replay/picture.mjs";
import { viewOf, wordsOf } from "./picture.mjs";

const REACH_PX = 22; // a finger is about twice as wide
const OVER = "The talk has ended. Thank you for following.";
const NOTHING_YET = "The presenter has not shown a picture yet. It will appear here.";

export async function openTalk() {
  await fontReady();
  const talk = new Talk();
  follow(`${location.pathname}/pictures`, {
    have: () => ({ after: talk.newest?.number ?? -1, scene: talk.scene?.key ?? "" }),
    receive: (kind, content) => talk.receive(kind, content),
    lose: (message) => talk.showConnection(message),
    end: () => talk.end(),
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
    /** @type {Axes | null} */
    this.axes = null; // that the viewer has chosen
    /** @type {number[] | null} */
    this.classes = null; // that the viewer has chosen
    this.plot = byPart("plot");
    this.painter = new Painter(byPart("canvas"), this.plot);
    lookAround(this.plot, {
      shown: () => this.shown && this.painter.shown(this.view(), this.wantedAxes()),
      look: (axes) => this.look({ axes }),
      point: (place) => this.point(place),
    });
    byPart("return").onclick = () => this.goBack();
    byPart("fit").onclick = () => this.look({ axes: null });
    byPart("save").onclick = () => byPart("canvas").toBlob((image) => saveFile(image, "picture.png"));
    new ResizeObserver(() => this.draw()).observe(this.plot);
    onScheme(() => this.drawAnew());
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
    this.plot.dataset.drawn = String((this.nShown += 1));
    this.sayInstead(picture.isBlank ? `${BLANK}.` : null);
    byPart("save").hidden = !picture.scene.downloads;
    showWords(picture);
    showNumbers(picture);
    this.drawAnew();
  }

  drawAnew() {
    if (!this.shown) return;
    const { scene } = this.shown;
    const { names, figures } = scene;
    showClasses(byPart("classes"), names, figures[schemeNow()], this.shownClasses(), (classes) => this.look({ classes }));
    this.draw();
  }

  draw() {
    if (!this.shown || !this.plot.clientWidth) return;
    byPart("ring").hidden = byPart("row").hidden = true;
    this.painter.show(this.view(), this.wantedAxes());
  }

  view() {
    return viewOf(this.shown.scene, this.shown, { scheme: schemeNow(), classes: this.shownClasses() });
  }

  wantedAxes() {
    return this.axes ?? (this.isFollowing ? this.shown.axes : null) ?? this.limits;
  }

  shownClasses() {
    return this.isFollowing ? this.shown.classes : this.classes;
  }

  /** Lets go of the presenter. @param {{ axes?: Axes | null, classes?: number[] | null }} change */
  look(change) {
    if (this.isFollowing) {
      this.classes = this.shown.classes;
      this.axes = this.shown.axes;
      this.isFollowing = false;
      this.showMode();
    }
    Object.assign(this, change);
    byPart("fit").hidden = this.axes === null;
    this.drawAnew();
  }

  goBack() {
    this.isFollowing = true;
    this.axes = this.classes = null;
    this.showMode();
    this.show(this.newest);
  }

  showMode() {
    byPart("return").hidden = this.isFollowing;
    byPart("fit").hidden = true;
    this.sayMode();
  }

  sayMode() {
    byPart("mode").textContent = modeInWords(this.isFollowing, this.newest, this.shown);
  }

  /** Says which row is at a place of the picture. @param {Point | null} place in pixels */
  point(place) {
    const found = place && this.painter.nearest(place, REACH_PX);
    byPart("ring").hidden = byPart("row").hidden = !found;
    if (!found) return;
    byPart("ring").style.translate = `${found.at[0]}px ${found.at[1]}px`;
    byPart("row").replaceChildren(...wordsOf(this.shown.scene, found.trace, found.index).map((text) => span(text)));
  }

  /** @param {string | null} message */
  showConnection(message) {
    const node = this.shown ? byPart("connection") : byPart("over");
    if (this.shown) node.hidden = !message;
    node.textContent = message ?? (this.shown ? "" : NOTHING_YET);
  }

  end() {
    this.sayInstead(OVER);
  }

  /** Hides the talk behind a sentence, or shows it. @param {string | null} sentence */
  sayInstead(sentence) {
    const isHidden = sentence !== null;
    document.querySelectorAll("[data-part=talk], [data-part=classes]").forEach((node) => node.toggleAttribute("hidden", isHidden));
    byPart("over").hidden = !isHidden;
    byPart("over").textContent = sentence ?? "";
  }
}

// The words around the picture of a viewer.

/** @param {string} name @returns {any} */
const byPart = (name) => document.querySelector(`[data-part="${name}"]`);

/** The title, how well the classes are told apart, and what is shown. @param {any} picture */
function showWords({ caption, position, run, gamma, lead, follow: rest, scene }) {
  write(byPart("caption"), caption || run); // which is announced where it is another one
  const width = run.includes(`γ ${gamma}`) ? "" : `γ ${gamma}`;
  write(byPart("position"), [position, caption && run, width].filter(Boolean).join(" · "));
  write(byPart("lead"), lead);
  write(byPart("follow"), rest);
  byPart("plot").setAttribute("aria-label", [`${run}: ${scene.names.join(", ")}.`, ...(lead ? [`${lead}; ${rest}`] : [])].join(" "));
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
