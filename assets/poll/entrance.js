// How phones come into the room: its link, and the same as a picture.

import { el, setText } from "../shared/dom.js";

/** @import { Room } from "./types.js" */

/**
 * A link that only this machine reaches has no picture, and says so until somebody is in.
 * @param {Room} room @returns {{ nodes: HTMLElement[], show(there: boolean): void }}
 */
export function entrance(room) {
  const { words } = room;
  const link = el("a.sv-door", { target: "_blank", rel: "noopener" });
  const qr = el("span.sv-qr");
  const localNote = el("span.sv-note", null, words.phones_local);
  let qrLink = "";
  return {
    nodes: [link, localNote, qr],
    show(there) {
      const { open } = room;
      for (const part of [link, qr]) part.hidden = !there;
      localNote.hidden = !there || !open?.local || Boolean(room.state?.here);
      if (!open || qrLink === open.link) return;
      qrLink = open.link;
      link.href = open.link;
      setText(link, open.link.replace(/^https?:\/\//, ""));
      if (open.local) return;
      room.callServer("room_picture", { link: open.link }).then(({ picture }) => {
        if (picture) qr.replaceChildren(el("img", { src: picture, alt: words.phones_qr }));
      });
    },
  };
}
