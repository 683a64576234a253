// The picture of the next view is requested until it is there, in bounds.
import assert from "node:assert/strict";
import { test } from "node:test";

import { nextPicture } from "../../assets/studio/present/next_picture.mjs";

const answered = (status) => ({ status, ok: status < 300 });
const PICTURE = answered(200);

/** Requests until it ends; what was found, how often it was asked, and how long it waited each time. */
async function requestedFrom(answers, isWanted = () => true) {
  const waits = [];
  let asked = 0;
  const request = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const found = await nextPicture(/** @type {any} */ (request), () => isWanted(asked), async (ms) => waits.push(ms));
  return { found, asked, waits };
}

test("a server that does not answer, or is overloaded, is asked again after longer waits", async () => {
  const { found, waits } = await requestedFrom([new Error("no network"), answered(503), answered(429), PICTURE]);
  assert.equal(found, PICTURE);
  assert.deepEqual(waits, [1000, 2000, 4000]);
});

test("a run that is not there yet is asked for again", async () => {
  const { found, waits } = await requestedFrom([answered(204), answered(204), PICTURE]);
  assert.equal(found, PICTURE);
  assert.deepEqual(waits, [1000, 2000]);
});

test("a refusal is final, and so is the last try", async () => {
  assert.deepEqual(await requestedFrom([answered(400), PICTURE]), { found: null, asked: 1, waits: [] });
  const { found, asked, waits } = await requestedFrom([new Error("no network")]);
  assert.deepEqual([found, asked, Math.max(...waits)], [null, 40, 30_000]);
});

test("what is not wanted any more is neither asked for again nor shown", async () => {
  const failing = await requestedFrom([new Error("no network")], (asked) => asked < 3);
  assert.deepEqual([failing.found, failing.asked], [null, 3]);
  assert.equal((await requestedFrom([PICTURE], (asked) => asked < 1)).found, null);
});
