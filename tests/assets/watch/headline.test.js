import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf } from "../../../assets/watch/headline.js";
import { lane } from "../picture.js";

const prompt = (...kinds) => ({
  lanes: {
    vanilla: null,
    speculative: lane({ prompt: kinds.map((kind) => ({ id: 0, text: "x", partial: false, shown: "x", kind })) }),
  },
});

test("a prompt of which more than a third are parts of letters is not read, whatever special tokens stand before it", () => {
  assert.deepEqual(bytesOf(prompt("special", "bytes", "bytes", "text")), { bytes: 2, of: 3 });
  assert.equal(bytesOf(prompt("special", "text", "text", "bytes")), null);
  assert.equal(bytesOf({ lanes: { vanilla: null, speculative: null } }), null);
});
