import assert from "node:assert/strict";
import { test } from "node:test";
import { addressWith } from "../../../assets/shared/address.js";

test("naming a tab leaves the rest of an address as it is, and takes away what named another", () => {
  const address = "http://127.0.0.1:7860/?K=3&chapter=2#there";
  assert.equal(addressWith(address, { chapter: "5" }), "http://127.0.0.1:7860/?K=3&chapter=5#there");
  assert.equal(addressWith(address, {}), "http://127.0.0.1:7860/?K=3#there");
  assert.equal(
    addressWith(address, { lab: "luck", lab_seeds: "9" }),
    "http://127.0.0.1:7860/?K=3&lab=luck&lab_seeds=9#there",
  );
  assert.equal(
    addressWith("http://127.0.0.1:7860/?lab=luck&lab_seeds=9&label=1", {}),
    "http://127.0.0.1:7860/?label=1",
  );
  assert.equal(addressWith("http://127.0.0.1:7860/", {}), "http://127.0.0.1:7860/");
});
