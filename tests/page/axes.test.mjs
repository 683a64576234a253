// The numbers and the titles of the axes stand beside the picture, which no cloud reaches.
import assert from "node:assert/strict";
import { test } from "node:test";

import { drawNumbers, drawTitles } from "../../assets/studio/plane/canvas.mjs";
import { shownOn } from "../../assets/studio/plane/pixel_axes.mjs";

const SIZE = [400, 300];
const LETTER = 0.6; // the width of a letter in heights
const axis = { gridcolor: "", showticklabels: true, tickfont: { size: 10, color: "", family: "" } };
const layout = { margin: { r: 4, t: 4 }, xaxis: axis, yaxis: { ...axis, scaleanchor: "x" } };
const plot = /** @type {any} */ ({ clientWidth: SIZE[0], clientHeight: SIZE[1] });

/** A pen that keeps the boxes of what it writes upright. */
function pen(size) {
  const boxes = [];
  return {
    boxes,
    measureText: (text) => ({ width: LETTER * size * text.length }),
    fillText(text, x, y) {
      const width = LETTER * size * text.length;
      const left = x - width * { right: 1, center: 0.5, left: 0 }[this.textAlign];
      const top = y - size * { bottom: 1, middle: 0.5, top: 0 }[this.textBaseline];
      if (!this.isTurned) boxes.push({ text, left, right: left + width, top, bottom: top + size });
    },
    save: () => undefined,
    rotate() {
      this.isTurned = true;
    },
    restore() {
      this.isTurned = false;
    },
  };
}

for (const textScale of [1, 1.6]) {
  test(`no number and no title lies on the picture or on another, in letters of ${textScale} times the size`, () => {
    const { pixels } = shownOn(plot, layout, [[-3, 3], [-2, 2]], textScale);
    const { x, y } = pixels;
    const box = { left: x.offset, top: y.offset, width: x.length, height: y.length };
    const drawn = pen(x.numbers.size);
    const ticks = (from, length) => /** @type {[number, number][]} */ ([-1, 0, 1].map((value) => [value, from + length * (0.5 + value / 8)]));
    drawNumbers(drawn, x, ticks(box.left, box.width), box.top + box.height, "bottom");
    drawNumbers(drawn, y, ticks(box.top + box.height, -box.height), box.left, "left");
    drawTitles(drawn, x.numbers, ["First", "Second"], box, SIZE[1]);
    assert.equal(drawn.boxes.length, 7);
    for (const [i, { left, right, top, bottom }] of drawn.boxes.entries()) {
      assert.ok(right <= box.left || top >= box.top + box.height, "beside the picture");
      assert.ok(left >= 0 && right <= SIZE[0] && bottom <= SIZE[1], "on the canvas");
      for (const other of drawn.boxes.slice(i + 1))
        {assert.ok(right <= other.left || left >= other.right || bottom <= other.top || top >= other.bottom, "apart");}
    }
  });
}

test("what has no numbers upward leaves the room to the picture", () => {
  const line = { ...layout, yaxis: { ...axis, showticklabels: false } };
  const [flat, other] = [layout, line].map((each) => shownOn(plot, each, [[0, 1], [0, 1]]).pixels.x);
  assert.ok(other.length > flat.length && other.offset < flat.offset);
});
