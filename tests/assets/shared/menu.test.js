import assert from "node:assert/strict";
import { test } from "node:test";
import { click, one, open, press } from "../dom.js";

const { listenToMenus } = await import("../../../assets/shared/menu.js");

test("a menu whose button came late says at the first Tab that it is closed, and then what it is", () => {
  open("<main></main>");
  listenToMenus();
  one("main").innerHTML =
    '<button class="sv-opens" id="share"></button><div id="share-menu"><input></div><a href="#"></a>';
  const share = one("#share");
  const says = () => [share.getAttribute("aria-expanded"), one("#share-menu").hasAttribute("data-open")];
  one("a").focus();
  assert.deepEqual(says(), ["false", false]);
  click(share);
  assert.deepEqual(says(), ["true", true]);
  one("input").focus();
  assert.deepEqual(says(), ["true", true]);
  press("Escape");
  assert.deepEqual(says(), ["false", false]);
  click(share);
  one("a").focus();
  assert.deepEqual(says(), ["false", false]);
});

test("when the rest of the page comes, an open menu stays open, and each says what it is before anything is pressed", () => {
  listenToMenus();
  open(
    '<button class="sv-opens" id="share"></button><div id="share-menu" data-open></div><button class="sv-opens" id="other"></button>',
  );
  listenToMenus();
  assert.equal(one("#share").getAttribute("aria-expanded"), "true");
  assert.ok(one("#share-menu").hasAttribute("data-open"));
  assert.equal(one("#other").getAttribute("aria-expanded"), "false");
});
