// A chapter's question on the phones of a class: votes come in as bars, then the answer shows both.

import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { entrance } from "./entrance.js";
import { PAGE } from "./lesson.js";

/** @import { Room, Votes } from "./types.js" */

/**
 * @param {string} about the chapter
 * @param {Room} room
 * @param {(votes: Votes | null) => void} draw what was voted on this question; null while it is not asked
 * @param {() => void} answer shows it, here and on the phones
 */
export function phones(about, room, draw, answer) {
  const ask = button(PAGE.phones_ask, () => room.put(about));
  const show = button(PAGE.phones_answer, answer);
  const end = button(PAGE.phones_end, () => room.put(null));
  const door = entrance(room);
  const told = el("span.sv-note", { role: "status" });
  const root = el("div.lrn-phones.sv-flow", null, ask, show, end, told, door.nodes);
  root.hidden = !room.here;

  const move = () => {
    const { open, seen, said } = room;
    const poll = seen?.poll?.about === about ? seen.poll : null;
    const there = Boolean(open && poll);
    ask.hidden = there;
    show.hidden = !there || poll?.right !== null;
    end.hidden = !there;
    door.show(there && poll?.right === null); // once it is answered nobody need come in
    root.toggleAttribute("data-joined", Boolean(seen?.here));
    const counted = poll && seen ? fillText(PAGE.phones_voted, { voted: poll.voted, here: seen.here }) : "";
    setText(told, said || counted);
    draw(there ? poll : null);
  };
  room.hear(move);
  move();
  return root;
}
