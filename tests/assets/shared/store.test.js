import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { readStored, readTabStored, writeStored, writeTabStored } from "../../../assets/shared/store.js";

test("what is kept comes back under its name, and null forgets it", () => {
  assert.equal(writeStored("settings", "K=4"), true);
  assert.deepEqual([localStorage.getItem("specviz.settings"), readStored("settings")], ['"K=4"', "K=4"]);
  writeStored("settings", null);
  assert.deepEqual([localStorage.length, readStored("settings")], [0, null]);
});

test("what a tab keeps is of its address, and no other tab's", () => {
  history.replaceState(null, "", "/room/abc");
  writeTabStored("seat", "s");
  assert.deepEqual([sessionStorage.getItem("specviz.seat /room/abc"), readTabStored("seat")], ['"s"', "s"]);
  history.replaceState(null, "", "/room/def");
  assert.equal(readTabStored("seat"), null);
});

test("where a browser keeps nothing, has no room or holds nonsense, nothing breaks", () => {
  localStorage.setItem("specviz.runs", "{");
  assert.equal(readStored("runs"), null);
  const full = {
    setItem() {
      throw new Error("no room");
    },
  };
  for (const storage of [full, undefined]) {
    globalThis.localStorage = globalThis.sessionStorage = storage;
    assert.deepEqual([writeStored("runs", [1]), readStored("runs")], [false, null]);
    assert.deepEqual([writeTabStored("seat", "s"), readTabStored("seat")], [false, null]);
  }
});
