import assert from "node:assert/strict";
import { test } from "node:test";
import { addressChapter } from "../../../assets/learn/tab.js";

test("an address asks for a chapter that there is, or for none", () => {
  assert.deepEqual(
    ["?chapter=1", "?K=3&chapter=9"].map((search) => addressChapter(search, 9)),
    [0, 8],
  );
  for (const other of ["", "?chapter=", "?chapter=0", "?chapter=10", "?chapter=1.5", "?chapter=x", "?chapter=5<b>"]) {
    assert.equal(addressChapter(other, 9), null, other);
  }
  assert.equal(addressChapter("?chapter=9", 8), null);
});
