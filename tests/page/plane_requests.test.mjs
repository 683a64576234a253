// Requests for planes: one at a time, and the last one wins.
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";

globalThis.document = /** @type {any} */ ({ querySelector: () => null, getElementById: () => null });
const { PlaneRequests } = await import("../../assets/studio/panel/panel.mjs");

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

// A server whose answers are given by hand.
function server() {
  const asked = [];
  globalThis.fetch = (url) =>
    new Promise((resolve) => {
      asked.push({ url, answer: () => resolve(Response.json({ url })), refuse: () => resolve(Response.json({}, { status: 404 })) });
    });
  return asked;
}

function requests() {
  const shown = [];
  const busy = [];
  const panel = {
    run: "r1",
    node: { toggleAttribute: (_, isBusy) => busy.push(isBusy) },
    isDisposed: false,
    showRequested: async (plane) => void shown.push(plane.address),
    showWith: async (options, plane) => void shown.push([options, plane.address]),
  };
  const made = new PlaneRequests(/** @type {any} */ (panel));
  return { made, shown, busy };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a plane is requested of its run and shown with its address", async () => {
  const asked = server();
  const { made, shown, busy } = requests();
  const done = made.request("3?gamma=2");
  asked[0].answer();
  await done;
  assert.equal(asked[0].url, "runs/r1/planes/3?gamma=2");
  assert.deepEqual(shown, ["3?gamma=2"]);
  assert.deepEqual(busy, [true, false]);
});

test("of the requests that are made meanwhile only the last is sent", async () => {
  const asked = server();
  const { made, shown } = requests();
  const done = made.request("1?");
  made.request("2?");
  made.request("3?");
  asked[0].answer();
  await settled();
  asked[1].answer();
  await done;
  assert.deepEqual(shown, ["1?", "3?"]);
  assert.equal(asked.length, 2);
});

test("the plane that is on its way is known until it is shown", async () => {
  const asked = server();
  const { made } = requests();
  assert.equal(made.sequence, null);
  const done = made.request("27?");
  made.request("86?n_top_features=4");
  assert.equal(made.sequence, 86);
  asked[0].answer();
  await settled();
  asked[1].answer();
  await done;
  assert.equal(made.sequence, null);
});

test("a plane that was fetched ahead is not requested again", async () => {
  const asked = server();
  const { made, shown } = requests();
  made.prefetch("4?");
  const done = made.request("4?");
  asked[0].answer();
  await done;
  assert.deepEqual(shown, ["4?"]);
  assert.equal(asked.length, 1);
});

test("a plane that is refused is not shown, and the next request is free", async () => {
  mock.timers.enable({ apis: ["setTimeout"] }); // of the notice
  const asked = server();
  const { made, shown } = requests();
  const done = made.request("9?");
  asked[0].refuse();
  await done;
  mock.timers.reset();
  assert.deepEqual(shown, []);
  assert.equal(made.requested, null);
});

test("options come with their plane, and those that were replaced on the way never", async () => {
  const asked = server();
  const { made, shown } = requests();
  const [one, other] = /** @type {any[]} */ ([{ gamma: 1 }, { gamma: 2 }]);
  const done = made.request("7?gamma=1", one);
  made.request("7?gamma=2", other);
  asked[0].answer();
  await settled();
  assert.deepEqual(shown, []);
  asked[1].answer();
  await done;
  assert.deepEqual(shown, [[other, "7?gamma=2"]]);
  const back = made.request("7?gamma=1", one);
  made.request("7?");
  asked[2].answer();
  await settled();
  asked[3].answer();
  await back;
  assert.deepEqual(shown.slice(1), ["7?"]);
});

test("what is asked for after a plane that is refused is shown", async () => {
  const asked = server();
  const { made, shown } = requests();
  const done = made.request("9?gamma=1e9");
  made.request("9?");
  asked[0].refuse();
  await settled();
  asked[1].answer();
  await done;
  assert.deepEqual(shown, ["9?"]);
});
