import assert from "node:assert/strict";
import { test } from "node:test";
import { MODES } from "../../assets/studio/constants.mjs";

globalThis.window = /** @type {any} */ ({});
const { hashOf, placeIn } = await import("../../assets/studio/panel/tab_history.mjs");

test("a place is found again by its address", () => {
  for (const mode of MODES) {
    for (const [run, view] of [[null, ""], ["kOQQ5KV3R_LPlCmqvUwpsQ", ""], ["kOQQ5KV3R_LPlCmqvUwpsQ", "gamma=2&axes=-1:1:0:2"]]) {
      const place = { mode, run, view };
      const hash = hashOf(place);
      if (hash) assert.deepEqual(placeIn(hash), place);
    }
  }
  assert.equal(hashOf({ mode: "explore", run: null, view: "" }), "");
});

test("an address of something else names no place", () => {
  for (const hash of ["", "#", "#picture", "#compare/", "#compare/a/b", "#compare?gamma=2", "#toString", "#explore/<b>", "#Explore"]) {
    assert.equal(placeIn(hash), null, hash);
  }
});
