// Where names are written: beside the tips of their arrows, clear of each other and of the edges.

/** @typedef {{ at: [number, number], from: [number, number], width: number, height: number }} Tip */

const GAP_PX = 8; // between a tip and its name
const CLEARANCE_PX = 6; // between two names on a line
const MOST_ROUNDS = 50; // of moving names that cover each other
const MOST_APART = 8; // names; of more, those without room are left out

// Heights and sides in which plotly and the canvas write a name, as unit steps from its tip.
const PLACES = [
  "middle right", "top right", "bottom right", "top center", "bottom center", "middle left", "top left", "bottom left",
];
const STEPS = { left: -1, center: 0, right: 1, top: -1, middle: 0, bottom: 1 };

/**
 * The places of the names of arrows, strongest first; null where there is no room for one.
 * @param {Tip[]} tips in pixels
 * @param {Box} area that names must not leave
 * @param {Box[]} taken where other names are
 * @param {boolean} [isEach] whether a name without room is written where it covers the least
 * @returns {(string | null)[]}
 */
export function placeLabels(tips, area, taken, isEach = false) {
  const boxes = [...taken];
  const heads = tips.map(({ at: [x, y] }) => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 }));
  return tips.map((tip, i) => {
    const others = [...boxes, ...heads.filter((_, j) => j < i)]; // weaker arrows give way
    const isFree = (name) => holds(area, boxOf(tip, name)) && !others.some((other) => overlap(boxOf(tip, name), other));
    const place = ordered(tip).find(isFree) ?? (isEach ? leastCovering(tip, area, others) : null);
    if (place) boxes.push(boxOf(tip, place));
    return place;
  });
}

/** @param {Tip} tip @param {Box} area @param {Box[]} others */
function leastCovering(tip, area, others) {
  const costs = PLACES.map((name) => {
    const box = boxOf(tip, name);
    const isBeyond = common(box, box) - common(box, area);
    return others.reduce((sum, other) => sum + common(box, other), isBeyond);
  });
  return PLACES[costs.indexOf(Math.min(...costs))];
}

/** The area that two boxes share. @param {Box} one @param {Box} other */
const common = (one, other) =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

// Beyond the tip before beside it, and never over the arrow itself.
function ordered({ at, from }) {
  const [dx, dy] = [at[0] - from[0], at[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const along = (name) => {
    const [height, side] = name.split(" ");
    const step = [STEPS[side], STEPS[height]];
    return (step[0] * dx + step[1] * dy) / length / Math.hypot(...step);
  };
  return PLACES.filter((name) => along(name) > -0.3).sort((one, other) => along(other) - along(one));
}

/** @param {Tip} tip @param {string} name @returns {Box} */
export function boxOf({ at: [x, y], width, height: line }, name) {
  const [height, side] = name.split(" ");
  const [sideStep, heightStep] = [STEPS[side], STEPS[height]];
  const left = x + GAP_PX * sideStep + ((sideStep - 1) * width) / 2;
  const top = y + GAP_PX * heightStep + ((heightStep - 1) * line) / 2;
  return { left, right: left + width, top, bottom: top + line };
}

const holds = (area, box) =>
  box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;

const overlap = (one, other) =>
  one.left < other.right + CLEARANCE_PX &&
  other.left < one.right + CLEARANCE_PX &&
  one.top < other.bottom &&
  other.top < one.bottom;

/**
 * Names moved up and down, each as little as the others, until none covers another.
 * @param {Box[]} boxes around the points that they belong to
 * @returns {Box[]}
 */
export function setApart(boxes) {
  const placed = boxes.map((box) => ({ ...box }));
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    let isApart = true;
    for (const [i, one] of placed.entries()) {
      for (const other of placed.slice(i + 1)) {
        if (!overlap(one, other)) continue;
        isApart = false;
        const [upper, lower] = one.top <= other.top ? [one, other] : [other, one];
        const half = (upper.bottom - lower.top) / 2;
        move(upper, -half);
        move(lower, half);
      }
    }
    if (isApart) break;
  }
  return placed;
}

/**
 * Where names are written amid their points; null where there is no room for one, which only many may lack.
 * @param {Box[]} boxes around the points, the first names first
 * @param {Box} area that names of many must not leave
 * @param {(i: number) => boolean} isWanted whose name comes before the others
 * @returns {(Box | null)[]}
 */
export function withRoom(boxes, area, isWanted) {
  if (boxes.length <= MOST_APART) return setApart(boxes);
  /** @type {(Box | null)[]} */
  const placed = boxes.map(() => null);
  const order = [...boxes.keys()].sort((one, other) => Number(isWanted(other)) - Number(isWanted(one)) || one - other);
  for (const i of order) {
    const isFree = (box) => holds(area, box) && !placed.some((other) => other && overlap(box, other));
    placed[i] = STEPS_ASIDE.map((lines) => shifted(boxes[i], lines)).find(isFree) ?? null;
  }
  return placed;
}

const STEPS_ASIDE = [0, -0.5, 0.5, -1, 1]; // lines by which a name may be above or below its point

/** @param {Box} box @param {number} lines */
function shifted(box, lines) {
  const by = lines * (box.bottom - box.top);
  return { ...box, top: box.top + by, bottom: box.bottom + by };
}

function move(box, by) {
  box.top += by;
  box.bottom += by;
}

/**
 * A name that is at most so long, cut in its middle.
 * @param {string} name
 * @param {number} most characters
 */
export function shortened(name, most) {
  const letters = [...name];
  if (letters.length <= most) return name;
  const tail = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - tail).join("")}…${letters.slice(-tail).join("")}`;
}

/**
 * Names that are at most so long; those that would look alike are cut where they do not differ.
 * @param {string[]} names
 * @param {number} most characters
 */
export function toldApart(names, most) {
  const plain = names.map((name) => shortened(name, most));
  /** @type {Map<string, number[]>} */
  const alike = new Map();
  plain.forEach((text, at) => alike.set(text, [...(alike.get(text) ?? []), at]));
  for (const places of alike.values()) {
    if (new Set(places.map((at) => names[at])).size === 1) continue;
    const group = places.map((at) => [...names[at]]);
    const first = sharedStart(group);
    const last = sharedStart(group.map((one) => one.slice(first).reverse()));
    places.forEach((at, i) => (plain[at] = around(group[i], first, group[i].length - last, most)));
  }
  return plain;
}

/** How many first letters all have.
 * @param {string[][]} texts
 */
function sharedStart(texts) {
  const [one, ...others] = texts;
  const end = one.findIndex((letter, at) => others.some((other) => other[at] !== letter));
  return end < 0 ? one.length : end;
}

/**
 * @param {string[]} letters
 * @param {number} start
 * @param {number} end
 * @param {number} most
 */
function around(letters, start, end, most) {
  const isLetter = (at) => /[\p{L}\p{N}]/u.test(letters[at] ?? ""); // whole words, if they are short
  while (isLetter(start - 1) && end - start < most / 3) start -= 1;
  while (isLetter(end) && end - start < most / 3) end += 1;
  const middle = shortened(letters.slice(start, end).join("").trim(), most - 2);
  const room = most - 2 - [...middle].length;
  const tail = Math.min(Math.ceil(room / 2), letters.length - end);
  const head = letters.slice(0, Math.min(room - tail, start)).join("").trimEnd();
  const behind = tail ? letters.slice(-tail).join("").trimStart() : "";
  return `${head}…${middle}${behind ? "…" : ""}${behind}`;
}
