// Where phones find a room, what both pages of a teacher show of it, and what the browser keeps: a picture of a link for phones.

import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetAll } from "../../../assets/player/dom.js";
import {
  addressWith,
  forgetRoom,
  openedRoom,
  pageAddress,
  readRoom,
  sharedLink,
  showCode,
  writeRoom,
} from "../../../assets/player/page.js";
import { entrance } from "../../../assets/poll/poll.js";
import { click, one, open, press, settled } from "../dom.js";

const LAN = "192.168.1.5";
const words = { room_local: "Only this machine.", here: "", left: "", close_ask: "" };
const picture = { picture: "data:image/svg+xml,<svg/>" };

/** @param {string | null} lan what the server says of its machine as the room is opened */
const openAt = (lan) => openedRoom({ code: "abc", key: "x", left: 60, lan });

test("a copied link and the page have the address of when the page was sent, a room that of when it is opened", () => {
  const link = "http://127.0.0.1/?prompt=a";
  const inRoom = ({ link, local }) => ({ link, local });
  assert.deepEqual(inRoom(openAt(null)), { link: "http://127.0.0.1/room/abc", local: true });
  assert.deepEqual([sharedLink(link), pageAddress()], [link, ""]);
  assert.deepEqual(inRoom(openAt(LAN)), { link: `http://${LAN}/room/abc`, local: false });
  document.head.innerHTML = `<meta name="specviz-lan" content="${LAN}">`;
  assert.deepEqual([sharedLink(link), pageAddress()], [`http://${LAN}/?prompt=a`, LAN]);
  assert.deepEqual(inRoom(openAt("10.0.0.5")), { link: "http://10.0.0.5/room/abc", local: false });
  assert.deepEqual(inRoom(openAt(null)), { link: `http://${LAN}/room/abc`, local: false });
  assert.equal(sharedLink("https://example.org/?a=b"), "https://example.org/?a=b");
});

test("a room is found again by any tab of the browser as long as it lasts", () => {
  const room = openAt(LAN);
  writeRoom({ room, settings: {} });
  assert.equal(readRoom().room.key, "x");
  writeRoom({ room: { ...room, until: Date.now() }, settings: {} });
  assert.equal(readRoom(), null);
});

test("a room is forgotten when it has ended, never with another room nor with what a visitor wants forgotten", () => {
  const room = openAt(LAN);
  writeRoom({ room, settings: {} });
  forgetRoom("old"); // which another tab still had
  forgetAll();
  assert.equal(readRoom().room.code, "abc");
  forgetRoom("abc");
  assert.equal(readRoom(), null);
});

test("where a browser keeps nothing the code is closed all the same, as long as the page is open", () => {
  const { localStorage } = globalThis;
  globalThis.localStorage = undefined;
  writeRoom({ room: openAt(LAN), settings: {} });
  showCode(false);
  assert.equal(readRoom().codeClosed, true);
  forgetRoom("abc");
  assert.equal(readRoom(), null);
  globalThis.localStorage = localStorage;
});

test("a room that phones reach has a code for them, and one that they do not says so", async () => {
  document.head.replaceChildren();
  for (const lan of [LAN, null]) {
    const { root, show } = entrance(words, async () => picture);
    show(openAt(lan), true);
    await settled();
    assert.deepEqual([root.querySelectorAll("img").length, one(".sv-note", root).hidden], lan ? [1, true] : [0, false]);
  }
});

test("naming a tab leaves the rest of an address as it is, and takes away what named another", () => {
  const address = "http://127.0.0.1:7860/?K=3&chapter=2#there";
  assert.equal(addressWith(address, { chapter: "5" }), "http://127.0.0.1:7860/?K=3&chapter=5#there");
  assert.equal(addressWith(address, {}), "http://127.0.0.1:7860/?K=3#there");
  assert.equal(addressWith(address, { lab: "luck", lab_seeds: "9" }), "http://127.0.0.1:7860/?K=3&lab=luck&lab_seeds=9#there");
  assert.equal(addressWith("http://127.0.0.1:7860/?lab=luck&lab_seeds=9&label=1", {}), "http://127.0.0.1:7860/?label=1");
  assert.equal(addressWith("http://127.0.0.1:7860/", {}), "http://127.0.0.1:7860/");
});

const { listenToMenus } = await import("../../../assets/player/page.js");

test("a menu whose button came late says at the first Tab that it is closed, and then what it is", () => {
  open("<main></main>");
  listenToMenus();
  one("main").innerHTML = '<button class="sv-opens" id="share"></button><div id="share-menu"><input></div><a href="#"></a>';
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
  const other = '<button class="sv-opens" id="other"></button>';
  open(`<button class="sv-opens" id="share"></button><div id="share-menu" data-open></div>${other}`);
  listenToMenus();
  assert.equal(one("#share").getAttribute("aria-expanded"), "true");
  assert.ok(one("#share-menu").hasAttribute("data-open"));
  assert.equal(one("#other").getAttribute("aria-expanded"), "false");
});
