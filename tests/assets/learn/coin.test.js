import assert from "node:assert/strict";
import { test } from "node:test";
import { isAccepted } from "../../../assets/learn/accept/picture.js";

test("a coin below p/q keeps a token, and nothing keeps what the target would never say", () => {
  assert.deepEqual(
    [0.49, 0.5, 0.51].map((u) => isAccepted({ p: 0.3, q: 0.6 }, u)),
    [true, false, false],
  );
  assert.equal(isAccepted({ p: 0, q: 0.5 }, 0), false);
});
