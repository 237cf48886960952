// Where phones find a room, what both pages of a teacher show of it, and what the browser keeps: a picture only of a link that phones reach.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRoom } from "../../../assets/lab/classroom/room.js";
import { entrance } from "../../../assets/poll/entrance.js";
import {
  forgetRoom,
  openedRoom,
  pageAddress,
  readRoom,
  sharedLink,
  showCode,
  writeRoom,
} from "../../../assets/shared/room.js";
import { forgetAll } from "../../../assets/shared/store.js";
import { settled } from "../dom.js";

const LAN = "192.168.1.5";
const words = { room_local: "Only this machine.", here: "", left: "", close_ask: "" };
const picture = { picture: "data:image/svg+xml,<svg/>" };

/** @param {string | null} lan what the server says of its machine */
const openAt = (lan) => {
  document.head.innerHTML = lan ? `<meta name="specviz-lan" content="${lan}">` : "";
  return openedRoom({ code: "abc", key: "x", left: 60 });
};

test("a copied link, a room and the page have the address that others reach, as the server says", () => {
  const link = "http://127.0.0.1/?prompt=a";
  const inRoom = ({ link, local }) => ({ link, local });
  assert.deepEqual(inRoom(openAt(null)), { link: "http://127.0.0.1/room/abc", local: true });
  assert.deepEqual([sharedLink(link), pageAddress()], [link, ""]);
  assert.deepEqual(inRoom(openAt(LAN)), { link: `http://${LAN}/room/abc`, local: false });
  assert.deepEqual([sharedLink(link), pageAddress()], [`http://${LAN}/?prompt=a`, LAN]);
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

for (const [lan, codes] of [
  [LAN, 1],
  [null, 0],
]) {
  const open = openAt(lan);
  const look = (root) => [
    root.querySelectorAll("img").length,
    [...root.querySelectorAll("span")].some(({ textContent, hidden }) => textContent === words.room_local && !hidden),
  ];

  test(`with ${codes} address for phones the Lab shows as many codes, and says so where there is none`, async () => {
    const room = makeRoom(words, { ask: async () => picture, roundCount: () => 0, onEnd() {}, onRounds() {} });
    room.start(open);
    await settled();
    assert.deepEqual(look(room.root), [codes, !codes]);
  });

  test(`with ${codes} address for phones a question shows as many codes, and says so where there is none`, async () => {
    const { root, show } = entrance(words, async () => picture);
    show(open, true);
    await settled();
    assert.deepEqual(look(root), [codes, !codes]);
  });
}
