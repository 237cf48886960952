// The keys of what a tab shows, where the tab itself has the focus.

import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { el } from "../../../assets/shared/dom.js";
import { onTabBar } from "../../../assets/shared/tabs.js";

test("a letter or Escape is for what the tab shows, and what moves through tabs is for the tabs", () => {
  const keys = ["p", "P", "Escape", "ArrowRight", "Enter", " ", "Tab", "F1"];
  const own = (role) => keys.filter((key) => onTabBar({ key, target: el("button", { role }) }));
  assert.deepEqual([own("tab"), own("button")], [["p", "P", "Escape"], []]);
});
