// The keys of what a tab shows, where the tab itself has the focus.

import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { onTabBar } from "../../../assets/shared/tabs.js";

globalThis.Element ??= /** @type {any} */ (
  class {
    constructor(role) {
      this.role = role;
    }
    closest(what) {
      return what === `[role=${this.role}]` ? this : null;
    }
  }
);
const pressed = (key, role = "tab") => ({ key, target: new Element(role) });

test("a letter or Escape is for what the tab shows, and what moves through tabs is for the tabs", () => {
  const keys = ["p", "P", "Escape", "ArrowRight", "Enter", " ", "Tab", "F1"];
  assert.deepEqual(
    keys.filter((key) => onTabBar(pressed(key))),
    ["p", "P", "Escape"],
  );
  assert.equal(onTabBar(pressed("Escape", "button")), false);
});
