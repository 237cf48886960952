// The teacher's side of a room: its link and QR code, who is in, and the button that verifies what was guessed.

import { entrance } from "../../poll/entrance.js";
import { button, plainButton } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { showCode } from "../../shared/room.js";
import { fillText } from "../../shared/sentences.js";

/** @import { PlayedRound, Room, RoomView } from "./types.js" */

const POLL_MS = 1000; // ms between two looks

/**
 * `roundCount`: rounds on the screen; `onRounds`: takes rounds of the server, also of before the page was reloaded.
 * @param {Record<string, any>} words
 * @param {{
 *   ask(name: string, request: object): Promise<any>, open(): void, play(): void, onEnd(sentence?: string): void,
 *   saveAnswers(): void, roundCount(): number, onRounds(rounds: PlayedRound[]): void,
 * }} actions
 */
export function makeRoom(words, actions) {
  const open = button(words.open, () => actions.open(), { class: "sv-first lab-run" });
  const play = button(
    words.play,
    () => {
      showCode(false); // what becomes of the round is what a class looks at
      actions.play();
    },
    { class: "sv-first lab-run" },
  );
  const close = button(words.close, () => askToClose(true));
  const closeQuestion = el("span");
  const reallyClose = el(
    "span.ppl-close.sv-flow",
    { role: "alert", hidden: "" },
    closeQuestion,
    button(words.close_yes, () => end(words.room_over)),
    button(words.close_no, () => askToClose(false)),
  );
  const endQuestion = button(words.phones_end, () => request("room_ask", { about: null }));
  const asked = el("p.ppl-asked.sv-flow", { hidden: "" }, el("span", null, words.asked), endQuestion);
  const saveAnswers = button(words.save_answers, () => actions.saveAnswers());
  const door = entrance(words, (link) => actions.ask("room_picture", { link }));
  const count = el("p.ppl-count", { role: "status" });
  const names = el("ul.ppl-names.sv-flow");
  const left = el("p.lab-note");
  const inside = el(
    "div.ppl-room.sv-flow",
    { hidden: "" },
    el("div.ppl-door", null, el("p", null, words.join), door.root),
    el(
      "div.ppl-class",
      null,
      asked,
      count,
      names,
      el("div.ppl-line.sv-flow", null, play, saveAnswers, close, reallyClose),
      left,
    ),
  );
  const root = el("div.ppl-together", null, open, inside);
  let listedNames = "";
  /** @type {Room | null} */
  let room = null;

  /** @param {string} name @param {object} [values] */
  const request = (name, values) => room && actions.ask(name, { code: room.code, key: room.key, ...values });
  /** @param {boolean} on */
  const askToClose = (on) => {
    close.hidden = on;
    reallyClose.hidden = !on;
    setText(closeQuestion, fillText(words.close_ask, { here: hereCount }));
  };
  let hereCount = 0;

  const poll = async () => {
    const polled = room;
    if (!polled || !root.isConnected) return;
    const view = await request("room_look", { shown: actions.roundCount() });
    if (room !== polled) return;
    if (view.gone) return end(words.room_gone);
    if (!view.error) show(view);
    setTimeout(poll, POLL_MS);
  };

  /** @param {RoomView} view */
  const show = (view) => {
    hereCount = view.here;
    asked.hidden = view.poll === null;
    door.show(room, !view.here);
    setText(count, view.here || view.guessed ? fillText(words.here, { ...view }) : words.waiting);
    setText(left, fillText(words.left, { minutes: Math.ceil(view.left / 60) }));
    const rows = view.names.map(({ id, name, guessed }) => {
      const label = name || words.nameless;
      return el(
        "li",
        { "data-guessed": guessed ? "" : null, title: guessed ? words.guessed : null },
        guessed ? `✓ ${label}` : label,
        removeButton(id, label),
      );
    });
    const newNames = JSON.stringify(view.names);
    if (newNames !== listedNames) names.replaceChildren(...rows); // a button that is about to be pressed stays
    listedNames = newNames;
    inside.toggleAttribute("data-joined", view.here > 0 || view.round > 1); // also where screens go dark
    actions.onRounds(view.played);
  };

  /** @param {number} id @param {string} name */
  function removeButton(id, name) {
    const label = fillText(words.remove, { name });
    const attributes = { "aria-label": label, title: label };
    return plainButton("button.ppl-remove", attributes, () => request("room_remove", { id }), "×");
  }

  /** @param {string} [sentence] */
  function end(sentence) {
    if (!room) return;
    request("room_close");
    room = null;
    inside.hidden = true;
    open.hidden = false;
    actions.onEnd(sentence);
  }

  return {
    root,
    /** @param {Room} opened */
    start(opened) {
      room = opened;
      open.hidden = true;
      inside.hidden = false;
      askToClose(false);
      door.show(opened, true);
      setText(count, words.waiting);
      names.replaceChildren();
      listedNames = "";
      poll();
    },
    end,
    /** @param {boolean} on */
    enable(on) {
      play.disabled = !on;
    },
  };
}
