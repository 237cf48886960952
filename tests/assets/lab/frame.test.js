import assert from "node:assert/strict";
import { test } from "node:test";
import { wholeIn } from "../../../assets/lab/form.js";
import { addressOf, addressPanel } from "../../../assets/lab/tab.js";
import { csv } from "../../../assets/shared/csv.js";

test("an address names a panel that there is, and carries its settings only", () => {
  const panels = [{ key: "mistakes" }, { key: "luck", formerly: "seeds" }];
  assert.deepEqual(addressPanel("?lab=luck&lab_seeds=9&K=4", panels), { key: "luck", settings: { seeds: "9" } });
  assert.equal(addressPanel("?lab=seeds", panels).key, "luck");
  for (const other of ["", "?lab=", "?lab=constructor", "?lab_seeds=9", "?chapter=3"])
    assert.equal(addressPanel(other, panels), null, other);
  assert.deepEqual(addressOf("luck", { seeds: "9" }), { lab: "luck", lab_seeds: "9" });
});

test("a whole number within bounds is read, anything else is not", () => {
  assert.equal(wholeIn("30", [1, 100]), 30);
  for (const bad of ["", "0", "101", "1.5", "-3", "1e2", "9999999999999"])
    assert.equal(wholeIn(bad, [1, 100]), null, bad);
});

test("a spreadsheet reads text as text", () => {
  assert.equal(csv([["a,b", '"', "=1+1", 2, null]]), '"a,b","""",\'=1+1,2,\r\n');
});
