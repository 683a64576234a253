// The clock of all pictures that move: calls them before the page is painted, as often as the display
// shows, but no more than leaves the page most of its time. What takes long comes in turn.

const MOST_OF_THE_TIME = 0.4;

/** @type {Set<(now: number) => boolean>} */
const moving = new Set();
let isTicking = false;
let notBefore = 0;

/**
 * Calls a function before each paint until it returns false.
 * @param {(now: number) => boolean} move
 */
export function keepMoving(move) {
  moving.add(move);
  if (isTicking) return;
  isTicking = true;
  requestAnimationFrame(tick);
}

/** @param {(now: number) => boolean} move */
export const stopMoving = (move) => moving.delete(move);

function tick() {
  const began = performance.now();
  if (began >= notBefore) {
    for (const move of moving) if (!move(began)) moving.delete(move);
    // A timer runs after the paint, whose time counts too.
    setTimeout(() => (notBefore = began + (performance.now() - began) / MOST_OF_THE_TIME));
  }
  isTicking = moving.size > 0;
  if (isTicking) requestAnimationFrame(tick);
}

let last = Promise.resolve();

/**
 * Calls a function that takes long after those that were handed over before, each in a frame of its
 * own.
 * @param {() => Promise<void> | void} draw
 */
export function inTurn(draw) {
  last = last.then(draw).catch(console.warn).then(nextFrame);
}

/** @returns {Promise<void>} */
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
