// The dialog in which a table is painted: every dot is a row, which the server hides among features of noise.
import { requested, sentenceOf } from "../page/answers.mjs";
import { byId } from "../page/dom.mjs";
import { clearedPen, drawTrace } from "../plane/canvas.mjs";

// In widths of the canvas: between the dots of a stroke, their scatter about it, a step of the keys, the ring of the brush.
const GAP = 0.025;
const SCATTER = 0.02;
const STEP = 0.04;
const RING = 0.03;
const DOT_PX = 7;
const MOST_DOTS = 600;
const DOTS_OF_A_KEY = 3;
const HINT = "Paint two or three classes. Each dot becomes a row, hidden among 20 features of noise.";
const FULL = `A drawing has at most ${MOST_DOTS} dots. Undo a stroke, or choose more rows below.`;
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** @type {[x: number, y: number, code: number][][]} dots of each stroke, downward as on the canvas */
let strokes = [];
let brush = [0.5, 0.5];
/** @type {any} */
let form;
/** @type {HTMLCanvasElement} */
let canvas;

/** Opens the dialog, with what was painted before. @param {(file: File) => void} take the table */
export function openDrawing(take) {
  if (!form) connect(take);
  byId("drawing").showModal();
  tell();
}

const part = (name) => byId("drawing").querySelector(`[data-drawing="${name}"]`);

function connect(take) {
  canvas = part("canvas");
  form = canvas.closest("form");
  // A quick stroke is no fling, after which the browser would swallow the next tap.
  canvas.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  canvas.addEventListener("pointerdown", begin);
  canvas.addEventListener("pointermove", (event) => canvas.hasPointerCapture(event.pointerId) && paintTo(placeOf(event)));
  canvas.addEventListener("keydown", press);
  for (const event of ["focus", "blur"]) canvas.addEventListener(event, draw);
  part("undo").onclick = () => keep(strokes.slice(0, -1));
  part("clear").onclick = () => keep([]);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(take);
  });
  new ResizeObserver(draw).observe(canvas);
}

function keep(kept) {
  strokes = kept;
  tell();
}

const within = (place) => place.map((at) => Math.min(1, Math.max(0, at)));
const placeOf = ({ offsetX, offsetY }) => within([offsetX / canvas.clientWidth, offsetY / canvas.clientWidth]);

function begin(event) {
  if (event.button) return;
  canvas.setPointerCapture(event.pointerId);
  brush = placeOf(event);
  strokes.push([]);
  spray(1);
}

// A quick stroke has as many dots as a slow one of the same length.
function paintTo(place) {
  const [from, nDots] = [brush, Math.floor(Math.hypot(place[0] - brush[0], place[1] - brush[1]) / GAP)];
  for (let i = 1; i <= nDots; i += 1) {
    brush = from.map((at, axis) => at + ((place[axis] - at) * i) / nDots);
    spray(1);
  }
}

function spray(nDots) {
  const room = MOST_DOTS - strokes.flat().length;
  for (let i = 0; i < Math.min(nDots, room); i += 1) {
    const [x, y] = brush.map((at) => at + SCATTER * (2 * Math.random() - 1));
    strokes.at(-1).push([x, y, Number(form.elements.class.value)]);
  }
  tell();
}

function press(event) {
  const [arrow, choice] = [ARROWS[event.key], form.elements.class[Number(event.key) - 1]];
  if (arrow) brush = within(brush.map((at, axis) => at + arrow[axis]));
  else if (choice) choice.checked = true;
  else if (event.key === "Backspace") keep(strokes.slice(0, -1));
  else if (event.key === " ") {
    strokes.push([]);
    spray(DOTS_OF_A_KEY);
  } else return;
  event.preventDefault();
  draw();
}

/** Says how many dots each class has, or something else. @param {string} [words] */
function tell(words) {
  const codes = strokes.flat().map(([, , code]) => code);
  const count = (code) => codes.filter((one) => one === code).length;
  const labels = [...form.elements.class].map(({ parentNode }) => parentNode.textContent);
  const counts = labels.flatMap((label, code) => (count(code) ? [`${count(code)} of ${label}`] : []));
  const said = codes.length ? `${codes.length} dots: ${counts.join(", ")}.` : HINT;
  part("words").textContent = words ?? (codes.length < MOST_DOTS ? said : FULL);
  draw();
}

function draw() {
  const [width, dots, style] = [canvas.clientWidth, strokes.flat(), getComputedStyle(canvas)];
  const pen = clearedPen(canvas, [width, width]);
  const marker = { size: DOT_PX, color: dots.map(([, , code]) => style.getPropertyValue(`--class-${code}`)) };
  drawTrace(pen, { mode: "markers", opacity: 0.75, marker }, dots.map(([x]) => x * width), dots.map(([, y]) => y * width));
  if (!canvas.matches(":focus-visible")) return;
  pen.strokeStyle = style.color;
  pen.beginPath();
  pen.arc(brush[0] * width, brush[1] * width, RING * width, 0, 2 * Math.PI);
  pen.stroke();
}

async function send(take) {
  const points = strokes.flat().map(([x, y, code]) => [x, -y, code]);
  const nRows = Number(form.elements.rows.value) || points.length;
  try {
    const answer = await requested("drawing", { points, n_rows: nRows });
    take(new File([await answer.blob()], `Drawing of ${nRows} rows.csv`));
    byId("drawing").close();
  } catch (error) {
    tell(sentenceOf(error));
  }
}
