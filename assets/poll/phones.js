// A question on the phones of a class: how many have answered, then what they answered. And the way into the room.

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
  const askButton = button(words.phones_ask, () => room.putQuestion(about()));
  const answerButton = button(words.phones_answer, answer);
  const endButton = button(words.phones_end, () => room.endQuestion());
  const door = entrance(words, (link) => room.callServer("room_picture", { link }));
  const status = el("span.sv-note", { role: "status" });
  const root = el("div.sv-phones.sv-flow", null, askButton, answerButton, endButton, status, door.root);
  root.hidden = !room.here;

  const move = () => {
    const { open, state, message } = room;
    const current = (open && state?.poll) || null;
    const poll = current?.about === about() ? current : null;
    askButton.hidden = poll !== null;
    askButton.disabled = !about();
    answerButton.hidden = poll === null || poll.right !== null;
    endButton.hidden = current === null;
    door.show(open, !state?.here);
    const voteCount = poll && state ? fillText(words.phones_voted, { voted: poll.voted, here: state.here }) : "";
    setText(status, message || voteCount);
    draw(poll);
  };
  room.addListener(move);
  move();
  return { root, move };
}
