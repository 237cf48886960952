// How phones come into the room: its link, and the same as a picture.

import { el, setText } from "../shared/dom.js";
import { PAGE } from "./lesson.js";

/** @import { Room } from "./types.js" */

/** @param {Room} room @returns {{ nodes: HTMLElement[], show(there: boolean): void }} */
export function entrance(room) {
  const link = el("a.lrn-door", { target: "_blank", rel: "noopener" });
  const qr = el("span.lrn-qr");
  let drawn = "";
  return {
    nodes: [link, qr],
    show(there) {
      const { open } = room;
      for (const part of [link, qr]) part.hidden = !there;
      if (!open || drawn === open.link) return;
      drawn = open.link;
      link.href = open.link;
      setText(link, open.link.replace(/^https?:\/\//, ""));
      room.ask("room_picture", { link: open.link }).then(({ picture }) => {
        if (picture) qr.replaceChildren(el("img", { src: picture, alt: PAGE.phones_qr }));
      });
    },
  };
}
