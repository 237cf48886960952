// The teacher's side of a room: its link and QR code, who is in, and the button that verifies what was guessed.

import { button, plainButton } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { fillText } from "../../shared/sentences.js";

/** @import { PlayedRound, Room, RoomView } from "./types.js" */

const POLL_MS = 1000; // ms between two looks

/**
 * `roundCount`: rounds on the screen; `onRounds`: takes rounds of the server, also of before the page was reloaded.
 * @param {Record<string, any>} words
 * @param {{
 *   ask(name: string, request: object): Promise<any>, open(): void, play(): void, onEnd(sentence?: string): void,
 *   roundCount(): number, onRounds(rounds: PlayedRound[]): void,
 * }} actions
 */
export function makeRoom(words, actions) {
  const open = button(words.open, () => actions.open(), { class: "sv-first lab-run" });
  const play = button(words.play, () => actions.play(), { class: "sv-first lab-run" });
  const close = button(words.close, () => end(words.room_over));
  const link = el("a.ppl-link", { target: "_blank", rel: "noopener" });
  const join = el("p", null, words.join);
  const local = el("p.lab-note", null, words.local);
  const qr = el("div.ppl-qr");
  const count = el("p.ppl-count", { role: "status" });
  const names = el("ul.ppl-names.sv-flow");
  const left = el("p.lab-note");
  const inside = el(
    "div.ppl-room.sv-flow",
    { hidden: "" },
    el("div.ppl-door", null, join, link, qr, local),
    el("div.ppl-class", null, count, names, el("div.ppl-line.sv-flow", null, play, close), left),
  );
  const root = el("div.ppl-together", null, open, inside);
  let listedNames = "";
  /** @type {Room | null} */
  let room = null;

  const poll = async () => {
    const polled = room;
    if (!polled || !root.isConnected) return;
    const view = await actions.ask("room_look", { code: polled.code, key: polled.key, shown: actions.roundCount() });
    if (room !== polled) return;
    if (view.gone) return end(words.room_gone);
    if (!view.error) show(view);
    setTimeout(poll, POLL_MS);
  };

  /** @param {RoomView} view */
  const show = (view) => {
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
    const removePlayer = () => room && actions.ask("room_remove", { code: room.code, key: room.key, id });
    return plainButton("button.ppl-remove", { "aria-label": label, title: label }, removePlayer, "×");
  }

  /** @param {string} [sentence] */
  function end(sentence) {
    if (!room) return;
    actions.ask("room_close", { code: room.code, key: room.key });
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
      link.href = opened.link;
      setText(link, opened.link.replace(/^https?:\/\//, ""));
      join.hidden = opened.local;
      local.hidden = !opened.local;
      setText(count, words.waiting);
      names.replaceChildren();
      listedNames = "";
      qr.replaceChildren();
      if (!opened.local)
        actions.ask("room_picture", { link: opened.link }).then(({ picture }) => {
          if (picture && room === opened) qr.replaceChildren(el("img", { src: picture, alt: words.qr }));
        });
      poll();
    },
    end,
    /** @param {boolean} on */
    enable(on) {
      play.disabled = !on;
    },
  };
}
