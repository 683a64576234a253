// Requests for news: in flight together where the way is long, and the newest answer wins.
import assert from "node:assert/strict";
import { test } from "node:test";

import { NewsRequests } from "../../assets/studio/panel/run_loop.mjs";

// A server whose answers are given by hand, and a clock that is set.
function server() {
  const sent = [];
  const clock = { now: 0 };
  const requests = new NewsRequests(() => new Promise((answer, refuse) => sent.push({ answer, refuse })), () => clock.now);
  return { sent, clock, requests };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("an answer is taken once", async () => {
  const { sent, requests } = server();
  requests.begin();
  sent[0].answer({ took: 1, plane: 3 });
  await settled();
  assert.equal(requests.take().plane, 3);
  assert.equal(requests.take(), null);
});

test("an answer that a later one has overtaken is dropped", async () => {
  const { sent, requests } = server();
  requests.begin();
  requests.begin();
  sent[1].answer({ took: 1, plane: 2 });
  sent[0].answer({ took: 1, plane: 1 });
  await settled();
  assert.equal(requests.take().plane, 2);
  assert.equal(requests.take(), null);
});

test("an answer that was overtaken wakes who waits for its place", async () => {
  const { sent, clock, requests } = server();
  requests.begin();
  requests.begin();
  sent[1].answer({ took: 0, plane: 2 });
  await settled();
  requests.take();
  clock.now = 500;
  assert.equal(requests.due(60), Infinity); // nothing is streamed: one at a time
  let isWoken = false;
  requests.onArrival = () => (isWoken = true);
  sent[0].answer({ took: 0, plane: 1 });
  await settled();
  assert.ok(isWoken);
  assert.ok(requests.due(60) <= 0);
});

test("of two answers that wait, the newest is taken", async () => {
  const { sent, requests } = server();
  requests.begin();
  requests.begin();
  sent[0].answer({ took: 1, plane: 1 });
  sent[1].answer({ took: 1, plane: 2 });
  await settled();
  assert.equal(requests.take().plane, 2);
});

test("a failure is taken as the answer, and the next request is free", async () => {
  const { sent, requests } = server();
  requests.begin();
  sent[0].refuse(new TypeError("no network"));
  await settled();
  assert.ok(requests.take() instanceof TypeError);
  assert.equal(requests.nInFlight, 0);
});

test("a request that leaves early, before a picture is drawn, does not make the next one early", async () => {
  const { sent, clock, requests } = server();
  requests.begin();
  clock.now = 40;
  sent[0].answer({ took: 38 });
  await settled();
  requests.take();
  requests.begin(requests.due(60, 60));
  clock.now = 75;
  sent[1].answer({ took: 33 });
  await settled();
  requests.take();
  assert.equal(requests.due(60, 60), 45); // at 120, as if it had left at 60
});

test("one late answer does not make all later ones late: the next request catches up, within a picture", async () => {
  const { sent, clock, requests } = server();
  const answered = async (now, due) => {
    requests.begin(due);
    clock.now = now;
    sent.at(-1).answer({ took: 50 });
    await settled();
    requests.take();
    return requests.due(60, 60);
  };
  assert.equal(await answered(80, 0), -20); // it should have left at 60
  assert.equal(await answered(130, -20), -10); // at 120, as if it had left at 60
  assert.equal(await answered(1000, -10), -820);
  assert.equal(await answered(1010, -820), 20); // at 1030: what was missed long ago is not made up for
});

test("where the way is short, the answer comes before the next request", async () => {
  const { sent, clock, requests } = server();
  requests.begin();
  assert.equal(requests.due(60, 60), Infinity);
  clock.now = 40;
  sent[0].answer({ took: 38 });
  await settled();
  requests.take();
  assert.equal(requests.due(60, 60), 20);
});

test("while an answer waits to be drawn, nothing is requested", async () => {
  const { sent, clock, requests } = server();
  requests.begin();
  sent[0].answer({ took: 1 });
  await settled();
  clock.now = 500;
  assert.equal(requests.due(60, 60), Infinity);
  requests.take();
  assert.ok(requests.due(60, 60) < 0);
});

test("where the way is long, several are in flight, four at most, if planes come", async () => {
  const { sent, clock, requests } = server();
  for (let i = 0; i < 20; i += 1) {
    requests.begin();
    clock.now += 500;
    sent[i].answer({ took: 5 });
    await settled();
    requests.take();
  }
  requests.begin();
  clock.now += 60;
  assert.equal(requests.due(60), Infinity);
  for (let i = 0; i < 3; i += 1) {
    assert.ok(requests.due(60, 60) <= 0);
    requests.begin();
    clock.now += 60;
  }
  assert.equal(requests.nInFlight, 4);
  assert.equal(requests.due(60, 60), Infinity);
});
