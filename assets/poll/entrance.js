// How phones come into the room: its link, and the same as a picture.

import { el, setText } from "../shared/dom.js";

/** @import { Room } from "./types.js" */

/**
 * Until somebody is in, a link that only this machine may know says so.
 * @param {Room} room @returns {{ nodes: HTMLElement[], show(there: boolean): void }}
 */
export function entrance(room) {
  const { words } = room;
  const link = el("a.sv-door", { target: "_blank", rel: "noopener" });
  const qr = el("span.sv-qr");
  const reached = el("span.sv-note", null, words.phones_reached);
  let drawn = "";
  return {
    nodes: [link, reached, qr],
    show(there) {
      const { open } = room;
      for (const part of [link, qr]) part.hidden = !there;
      reached.hidden = !there || !open?.local || Boolean(room.seen?.here);
      if (!open || drawn === open.link) return;
      drawn = open.link;
      link.href = open.link;
      setText(link, open.link.replace(/^https?:\/\//, ""));
      room.ask("room_picture", { link: open.link }).then(({ picture }) => {
        if (picture) qr.replaceChildren(el("img", { src: picture, alt: words.phones_qr }));
      });
    },
  };
}
