import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { causes } from "../../../assets/shared/slow.js";

const { table, cases } = JSON.parse(readFileSync(new URL("slow.json", import.meta.url), "utf8"));

test("the page judges causes as specviz/picture/slow.py does", () => {
  assert.equal(cases.length, 81);
  for (const one of cases) {
    assert.deepEqual(
      causes(table, one.given).map(({ key, level }) => `${key} ${level}`),
      one.causes,
    );
  }
});
