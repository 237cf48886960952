// Where phones find a room, and what both pages of a teacher show of it: a picture only of a link that phones reach.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRoom } from "../../../assets/lab/classroom/room.js";
import { entrance } from "../../../assets/poll/phones.js";
import { linkTo } from "../../../assets/shared/room.js";
import { settled } from "../dom.js";

const LAN = "192.168.1.5";
const words = { join: "Join:", local: "Only this machine.", phones_local: "Only this machine.", here: "", left: "" };
const picture = { picture: "data:image/svg+xml,<svg/>" };

test("a page of a loopback address links to the machine's, and is known to nobody else without it", () => {
  assert.deepEqual(linkTo("abc", LAN), { link: `http://${LAN}/room/abc`, local: false });
  assert.deepEqual(linkTo("abc", null), { link: "http://127.0.0.1/room/abc", local: true });
});

for (const [lan, codes] of [
  [LAN, 1],
  [null, 0],
]) {
  const open = { code: "abc", key: "x", ...linkTo("abc", lan) };
  const look = (root, sentence) => [
    root.querySelectorAll("img").length,
    [...root.querySelectorAll("p, span")].some((node) => node.textContent === sentence && !node.hidden),
  ];

  test(`with ${codes} address for phones the Lab shows as many codes, and says so where there is none`, async () => {
    const answers = { room_picture: picture, room_look: { gone: true } };
    const room = makeRoom(words, {
      ask: async (name) => answers[name],
      roundCount: () => 0,
      onEnd() {},
      onRounds() {},
    });
    room.start(open);
    await settled();
    assert.deepEqual(look(room.root, words.local), [codes, !codes]);
    assert.equal(look(room.root, words.join)[1], Boolean(codes));
  });

  test(`with ${codes} address for phones a question shows as many codes, and says so where there is none`, async () => {
    const { nodes, show } = entrance({ words, open, state: null, callServer: async () => picture });
    const root = document.createElement("div");
    root.append(...nodes);
    show(true);
    await settled();
    assert.deepEqual(look(root, words.phones_local), [codes, !codes]);
  });
}
