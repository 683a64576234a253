// Requests that the studio cannot answer yet are repeated.
import assert from "node:assert/strict";
import { test } from "node:test";

import { repeatRequests, waitingWords } from "../../assets/studio/page/repeated.mjs";

const later = (after, words = "The file is being read.") =>
  new Response(JSON.stringify({ words }), { status: 503, headers: { "Retry-After": after } });

/** A page whose server gives these answers, one after the other, and what was asked. */
function pageOf(...answers) {
  const asked = [];
  const page = {
    fetch: async (...request) => {
      asked.push(request);
      return answers.shift();
    },
  };
  repeatRequests(page);
  return { page, asked };
}

test("a request is repeated as it was until the answer is there", async () => {
  const { page, asked } = pageOf(later("0"), later("0"), new Response("read"));
  const options = { method: "POST", body: "choice" };
  const words = [];
  const telling = setInterval(() => words.push(waitingWords.value), 0);
  assert.equal(await (await page.fetch("/panels", options)).text(), "read");
  clearInterval(telling);
  assert.deepEqual(asked, Array(3).fill(["/panels", options]));
  assert.equal(waitingWords.value, "");
  assert.ok(words.includes("The file is being read."));
});

test("what takes long, or says nothing of a time, is answered as it is", async () => {
  for (const answer of [later("30"), new Response("{}", { status: 503 }), new Response("{}", { status: 500 })]) {
    const { page, asked } = pageOf(answer);
    assert.equal((await page.fetch("/panels")).status, answer.status);
    assert.equal(asked.length, 1);
  }
});

test("a callback whose output another one changes meanwhile asks no more", async () => {
  const { page, asked } = pageOf(later("0"), new Response("second"));
  const body = (value) => JSON.stringify({ output: '{"type":"answer"}.value', value });
  const first = page.fetch("/_dash-update-component", { body: body(1) });
  const second = page.fetch("/_dash-update-component", { body: body(2) });
  assert.equal((await first).status, 204);
  assert.equal(await (await second).text(), "second");
  assert.equal(asked.length, 2);
});
