// The teacher's side of a room: its link and QR code, who is in, and the button that verifies what was guessed.

import { button, plainButton } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { fillText } from "../../shared/sentences.js";

/** @import { Played, Room, Watched } from "./types.js" */

const EVERY = 1000; // ms between two looks

/**
 * `shown`: how many rounds of it are on the screen; `come`: those that are told, also of before the page was reloaded.
 * @param {Record<string, any>} words
 * @param {{
 *   ask(name: string, sent: object): Promise<any>, open(): void, play(): void, over(said?: string): void,
 *   shown(): number, come(rounds: Played[]): void,
 * }} act
 */
export function makeRoom(words, act) {
  const open = button(words.open, () => act.open(), { class: "sv-first lab-run" });
  const play = button(words.play, () => act.play(), { class: "sv-first lab-run" });
  const close = button(words.close, () => end(words.room_over));
  const link = el("a.ppl-link", { target: "_blank", rel: "noopener" });
  const local = el("p.lab-note");
  const qr = el("div.ppl-qr");
  const count = el("p.ppl-count", { role: "status" });
  const names = el("ul.ppl-names");
  const left = el("p.lab-note");
  const inside = el(
    "div.ppl-room",
    { hidden: "" },
    el("div.ppl-door", null, el("p", null, words.join), link, qr, local),
    el("div.ppl-class", null, count, names, el("div.ppl-line", null, play, close), left),
  );
  const root = el("div.ppl-together", null, open, inside);
  let listed = "";
  /** @type {Room | null} */
  let room = null;

  const look = async () => {
    const mine = room;
    if (!mine || !root.isConnected) return;
    const seen = await act.ask("room_look", { code: mine.code, key: mine.key, shown: act.shown() });
    if (room !== mine) return;
    if (seen.gone) return end(words.room_gone);
    if (!seen.error) show(seen);
    setTimeout(look, EVERY);
  };

  /** @param {Watched} seen */
  const show = (seen) => {
    setText(count, seen.here || seen.guessed ? fillText(words.here, { ...seen }) : words.waiting);
    setText(left, fillText(words.left, { minutes: Math.ceil(seen.left / 60) }));
    const each = seen.names.map(({ id, name, guessed }) => {
      const called = name || words.nameless;
      return el(
        "li",
        { "data-guessed": guessed ? "" : null, title: guessed ? words.guessed : null },
        guessed ? `✓ ${called}` : called,
        remove(id, called),
      );
    });
    const list = JSON.stringify(seen.names);
    if (list !== listed) names.replaceChildren(...each); // a button that is about to be pressed stays
    listed = list;
    inside.toggleAttribute("data-joined", seen.here > 0 || seen.round > 1); // also where screens go dark
    act.come(seen.played);
  };

  /** @param {number} id @param {string} name */
  function remove(id, name) {
    const says = fillText(words.remove, { name });
    const take = () => room && act.ask("room_remove", { code: room.code, key: room.key, id });
    return plainButton("button.ppl-remove", { "aria-label": says, title: says }, take, "×");
  }

  /** @param {string} [said] */
  function end(said) {
    if (!room) return;
    act.ask("room_close", { code: room.code, key: room.key });
    room = null;
    inside.hidden = true;
    open.hidden = false;
    act.over(said);
  }

  return {
    root,
    /** @param {Room} next */
    begin(next) {
      room = next;
      open.hidden = true;
      inside.hidden = false;
      link.href = next.link;
      setText(link, next.link.replace(/^https?:\/\//, ""));
      setText(local, next.lan ? words.lan : next.local ? words.local : "");
      setText(count, words.waiting);
      names.replaceChildren();
      listed = "";
      qr.replaceChildren();
      act.ask("room_picture", { link: next.link }).then(({ picture }) => {
        if (picture && room === next) qr.replaceChildren(el("img", { src: picture, alt: words.qr }));
      });
      look();
    },
    end,
    /** @param {boolean} on */
    enable(on) {
      play.disabled = !on;
    },
  };
}
