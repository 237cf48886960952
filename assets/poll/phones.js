// A question on the phones of a class: votes come in as bars, then the answer shows both. How phones come into the
// room: its link, and the same as a picture.

import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";

/** @import { Room, Votes } from "./types.js" */

/**
 * @param {() => string} about what is asked: a chapter, or a rule as it is now; empty where there is nothing to ask
 * @param {Room} room
 * @param {(votes: Votes | null) => void} draw what was voted on this question; null while it is not asked
 * @param {() => void} answer shows it, here and on the phones
 * @returns {{ root: HTMLElement, move(): void }} `move`: what is asked has changed
 */
export function phones(about, room, draw, answer) {
  const { words } = room;
  const askButton = button(words.phones_ask, () => room.putQuestion(about()));
  const answerButton = button(words.phones_answer, answer);
  const endButton = button(words.phones_end, () => room.putQuestion(null));
  const door = entrance(room);
  const status = el("span.sv-note", { role: "status" });
  const root = el("div.sv-phones.sv-flow", null, askButton, answerButton, endButton, status, door.nodes);
  root.hidden = !room.here;

  const move = () => {
    const { open, state, message } = room;
    const current = (open && state?.poll) || null;
    const poll = current?.about === about() ? current : null;
    askButton.hidden = poll !== null;
    askButton.disabled = !about();
    answerButton.hidden = poll === null || poll.right !== null;
    endButton.hidden = current === null;
    door.show(poll?.right === null); // once it is answered nobody need come in
    root.toggleAttribute("data-joined", Boolean(state?.here));
    const voteCount = poll && state ? fillText(words.phones_voted, { voted: poll.voted, here: state.here }) : "";
    setText(status, message || voteCount);
    draw(poll);
  };
  room.addListener(move);
  move();
  return { root, move };
}

/**
 * The way into the room. A link that only this machine reaches has no picture, and says so until somebody is in.
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
