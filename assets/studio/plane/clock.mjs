// The clock of all pictures that move: calls them before the page is painted, as often as the display
// shows, but no more than leaves the page most of its time.

import { wait } from "../page/dom.mjs";

// Of the page's time, at most this share goes into the pictures between two planes. Pictures of several
// panels would otherwise take from planes that follow each other closely the time in which they come.
const MOST_OF_THE_TIME = 0.18;
// A glide that is watched, as that between two views of a talk, has most of it.
const MOST_WATCHED = 0.6;
// With fewer pictures on its way, a plane had better be there at once.
const LEAST_PICTURES = 2;
const SMOOTHING = 0.2; // the weight of the last picture in the cost

/** The share of the time that each may take. @type {Map<(now: number) => boolean, number>} */
const moving = new Map();
let isTicking = false;
let notBefore = 0;
let cost = 0; // of drawing and painting all that has changed, in ms, on average
let spent = 0; // on drawings that are not yet painted, in ms

/**
 * Whether what moves for so long can be drawn often enough on its way.
 * @param {number} milliseconds
 */
export const isTimeToMove = (milliseconds) => cost * LEAST_PICTURES <= milliseconds * MOST_OF_THE_TIME;

/**
 * Calls a function before each paint until it returns false.
 * @param {(now: number) => boolean} move
 * @param {boolean} isWatched whether nothing else is
 */
export function keepMoving(move, isWatched = false) {
  moving.set(move, isWatched ? MOST_WATCHED : MOST_OF_THE_TIME);
  if (isTicking) return;
  isTicking = true;
  requestAnimationFrame(tick);
}

/** @param {(now: number) => boolean} move */
export const stopMoving = (move) => moving.delete(move);

/** Calls a function that draws what moves no further. @param {() => void} draw */
export function drawAtOnce(draw) {
  const isFirst = spent === 0;
  const began = performance.now();
  draw();
  spent += performance.now() - began;
  if (isFirst) requestAnimationFrame(notePainting);
}

// Until after the paint. Panels that were drawn before it count together, as they do in a tick.
function notePainting() {
  const began = performance.now() - spent;
  spent = 0;
  setTimeout(() => noteCost(performance.now() - began));
}

function noteCost(milliseconds) {
  cost += SMOOTHING * (milliseconds - cost);
}

function tick() {
  const began = performance.now();
  if (began >= notBefore) {
    const most = Math.max(...moving.values());
    for (const move of moving.keys()) if (!move(began)) moving.delete(move);
    // A timer runs after the paint, whose time counts too.
    setTimeout(() => {
      const took = performance.now() - began;
      noteCost(took);
      notBefore = began + took / most;
    });
  }
  isTicking = moving.size > 0;
  if (isTicking) requestAnimationFrame(tick);
}

/** @returns {Promise<void>} */
export const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** The share of a way after a share of its time: slow at both ends. @param {number} share */
export const eased = (share) => share * share * (3 - 2 * share);

/** Plays one thing at a time, step by step, until it ends or is paused. */
export class Player {
  /** @param {(isPlaying: boolean) => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {AsyncIterable<number> | Iterable<number> | null} */
    this.steps = null; // that are played
  }

  get isPlaying() {
    return this.steps !== null;
  }

  /** @param {AsyncIterable<number> | Iterable<number>} steps that show something and tell how long it stays, in ms */
  async play(steps) {
    this.steps = steps;
    this.onChange(true);
    try {
      let began = performance.now();
      for await (const milliseconds of steps) {
        if (this.steps === steps) await wait(began + milliseconds - performance.now());
        if (this.steps !== steps) break;
        began = performance.now();
      }
    } finally {
      if (this.steps === steps) this.pause();
    }
  }

  pause() {
    if (!this.isPlaying) return;
    this.steps = null;
    this.onChange(false);
  }

  /** Plays, or pauses. @param {() => AsyncIterable<number> | Iterable<number>} steps */
  async toggle(steps) {
    return this.isPlaying ? this.pause() : this.play(steps());
  }
}
