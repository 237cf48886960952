import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { readStored, readTabStored, writeStored, writeTabStored } from "../../../assets/shared/store.js";

/** @param {Record<string, string>} held @param {number} [room] */
function browser(held, room = Number.POSITIVE_INFINITY) {
  globalThis.localStorage = /** @type {any} */ ({
    getItem: (/** @type {string} */ name) => held[name] ?? null,
    removeItem: (/** @type {string} */ name) => void delete held[name],
    setItem(/** @type {string} */ name, /** @type {string} */ text) {
      if (text.length > room) throw new Error("no room");
      held[name] = text;
    },
  });
  return held;
}
afterEach(() => {
  for (const name of ["localStorage", "sessionStorage", "location"]) Reflect.deleteProperty(globalThis, name);
});

test("what is kept comes back under its name, and null forgets it", () => {
  const held = browser({});
  assert.equal(writeStored("settings", "K=4"), true);
  assert.deepEqual([held, readStored("settings")], [{ "specviz.settings": '"K=4"' }, "K=4"]);
  writeStored("settings", null);
  assert.deepEqual([held, readStored("settings")], [{}, null]);
});

test("what a tab keeps is of its address, and no other tab's", () => {
  const held = browser({});
  globalThis.sessionStorage = globalThis.localStorage;
  Reflect.deleteProperty(globalThis, "localStorage");
  globalThis.location = /** @type {any} */ ({ pathname: "/room/abc" });
  writeTabStored("seat", "s");
  assert.deepEqual([held, readTabStored("seat")], [{ "specviz.seat /room/abc": '"s"' }, "s"]);
  globalThis.location = /** @type {any} */ ({ pathname: "/room/def" });
  assert.equal(readTabStored("seat"), null);
});

test("where a browser keeps nothing, has no room or holds nonsense, nothing breaks", () => {
  assert.deepEqual([writeStored("runs", [1]), readStored("runs")], [false, null]);
  globalThis.location = /** @type {any} */ ({ pathname: "/" });
  assert.deepEqual([writeTabStored("seat", "s"), readTabStored("seat")], [false, null]);
  browser({ "specviz.runs": "{" }, 2);
  assert.deepEqual([writeStored("runs", ["long"]), readStored("runs")], [false, null]);
});
