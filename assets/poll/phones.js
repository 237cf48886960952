// A question on the phones of a class: votes come in as bars, then the answer shows both.

import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { entrance } from "./entrance.js";

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
  const ask = button(words.phones_ask, () => room.put(about()));
  const show = button(words.phones_answer, answer);
  const end = button(words.phones_end, () => room.put(null));
  const door = entrance(room);
  const told = el("span.sv-note", { role: "status" });
  const root = el("div.sv-phones.sv-flow", null, ask, show, end, told, door.nodes);
  root.hidden = !room.here;

  const move = () => {
    const { open, seen, said } = room;
    const asked = (open && seen?.poll) || null;
    const poll = asked?.about === about() ? asked : null;
    ask.hidden = poll !== null;
    ask.disabled = !about();
    show.hidden = poll === null || poll.right !== null;
    end.hidden = asked === null;
    door.show(poll?.right === null); // once it is answered nobody need come in
    root.toggleAttribute("data-joined", Boolean(seen?.here));
    const counted = poll && seen ? fillText(words.phones_voted, { voted: poll.voted, here: seen.here }) : "";
    setText(told, said || counted);
    draw(poll);
  };
  room.hear(move);
  move();
  return { root, move };
}
