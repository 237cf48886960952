// A question on the phones of a class: how many have answered, then what they answered. The teacher's room, one for the whole
// lesson, in which chapters and rules are asked about and the Lab plays; the way into it, its link and, large until somebody
// closes it, the same as a picture: Q brings it back.

import { button, el, plainButton, setText, share, whileHere, within } from "../player/dom.js";
import { forgetRoom, openedRoom, readRoom, showCode, writeRoom } from "../player/page.js";
import { fillText } from "../player/words.js";

/** @import { OpenRoom, PollWords, Room, RoomState, Votes } from "./types.js" */

/** A link that only this machine reaches has no picture, and says so until somebody is in.
 * @param {Record<string, string>} words
 * @param {(link: string) => Promise<{ picture?: string | null }>} loadPicture */
export function entrance(words, loadPicture) {
  const link = el("a.sv-door", { target: "_blank", rel: "noopener" });
  const note = el("span.sv-note", null, words.room_local);
  const code = el("span.sv-qr");
  const toggle = button("", () => turn(), { class: "sv-link" });
  const root = el("div.sv-entrance.sv-flow", null, link, toggle, note, code);
  let codeLink = "";
  const turn = () => {
    showCode(Boolean(code.hidden));
    draw();
  };
  const draw = () => {
    code.hidden = Boolean(readRoom()?.codeClosed) || !code.firstChild;
    toggle.hidden = !code.firstChild;
    setText(toggle, code.hidden ? words.room_code_open : words.room_code_close);
    root.toggleAttribute("data-code", !code.hidden);
  };
  whileHere(root, window, "keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = /** @type {KeyboardEvent} */ (event);
    const isTyped = within(event, "input, select, textarea");
    if (key.toLowerCase() === "q" && !(ctrlKey || metaKey || altKey || isTyped) && toggle.offsetWidth) turn();
  });
  return {
    root,
    /** @param {OpenRoom | null} open @param {boolean} isEmpty nobody is in */
    show(open, isEmpty) {
      root.hidden = !open;
      note.hidden = !open?.local || !isEmpty;
      if (open && codeLink !== open.link) {
        codeLink = open.link;
        link.href = open.link;
        setText(link, open.link.replace(/^https?:\/\//, ""));
        code.replaceChildren();
        if (!open.local)
          loadPicture(open.link).then(({ picture }) => {
            if (picture && codeLink === open.link) code.replaceChildren(el("img", { src: picture, alt: words.room_qr }));
            draw();
          });
      }
      draw();
    },
  };
}

/** @param {() => string} about what is asked: a chapter, or a rule as it is now; empty where there is nothing to ask
 * @param {Room} room
 * @param {(votes: Votes | null) => void} draw what was voted on this question; null while it is not asked
 * @param {() => void} answer shows it, here and on the phones
 * @returns {{ root: HTMLElement, move(): void }} `move`: what is asked has changed */
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

const REFRESH_MS = 1000; // ms between two looks

/** @param {Record<string, (sent?: any) => Promise<string>>} server @param {PollWords} words */
export function makeRoom(server, words) {
  /** @type {OpenRoom | null} */
  let open = readRoom()?.room ?? null;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  let timer = 0;
  const room = {
    words,
    get open() {
      return open;
    },
    /** @type {RoomState | null} */
    state: null,
    /** Whether there is a server with rooms. */
    here: typeof server.room_ask === "function",
    message: "",
    /** @param {string} method @param {object} values @returns {Promise<any>} */
    async callServer(method, values = {}) {
      try {
        return JSON.parse(await server[method]({ ...open, ...values }));
      } catch (error) {
        console.warn(error);
        return { error: words.room_lost };
      }
    },
    /** Put a question to the phones. @param {string} about */
    putQuestion: (about) => request("room_ask", { about }),
    /** What the phones are asked is over, unless it is `about` this. @param {string} [about] */
    endQuestion(about) {
      const poll = room.state?.poll;
      if (!poll || poll.about === about) return;
      showCode(false);
      request("room_ask", { about: null });
    },
    /** @param {string} about @param {number} right
     * @param {{ times: number, recorded: boolean }} [measured] what it was on the teacher's machine, or on a recorded one */
    revealAnswer(about, right, measured) {
      showCode(false); // the answer is what a class looks at
      request("room_reveal", { about, right, ...measured });
    },
    /** @param {() => void} listener */
    addListener: (listener) => listeners.add(listener),
    removeListeners: () => listeners.clear(),
    refresh,
  };

  const notify = (/** @type {string} */ message) => {
    room.message = message;
    for (const listener of listeners) listener();
  };

  /** Ask it of the room; without one a room is opened first. @param {string} method @param {object} values */
  async function request(method, values) {
    open ??= readRoom()?.room ?? null; // opened in another tab of the page
    if (!open) {
      const reply = await room.callServer("room_open", { prompt: words.room_text });
      if (reply.error) return notify(reply.error);
      open = openedRoom(reply);
      writeRoom({ room: open, settings: { who: "room", prompt: words.room_text } });
    }
    notify((await room.callServer(method, values)).error ?? "");
    refresh();
  }

  /** As long as a room is open it is looked at, so that it stays so. */
  async function refresh() {
    clearTimeout(timer);
    if (!open || !room.here) return;
    const state = await room.callServer("room_look", { shown: 1e6 });
    if (state.gone) {
      forgetRoom(open.code);
      open = room.state = null;
      return notify(words.room_over);
    }
    if (!state.error) room.state = state;
    notify(state.error ?? "");
    clearTimeout(timer);
    timer = window.setTimeout(refresh, REFRESH_MS);
  }
  return room;
}

/** @param {string} text @param {() => void} act */
export const choice = (text, act) => plainButton("button.sv-choice", null, act, el("span", null, text));

/** Each choice's share as the length of its bar, and its number: with the answer, since bars that grow are followed.
 * @param {HTMLElement[]} choices @param {Votes | null} latest */
export function showVotes(choices, latest) {
  const votes = latest?.right === null ? null : latest;
  for (const [i, choice] of choices.entries()) {
    const n = votes?.counts[i] ?? 0;
    choice.style.setProperty("--votes", share(n, Math.max(1, votes?.voted ?? 0)));
    if (votes) choice.dataset.votes = String(n);
    else delete choice.dataset.votes;
  }
}

/** The same of choices that are not pressed here. @param {Votes | null} votes */
export function voteBars(votes) {
  const items = (votes?.choices ?? []).map((text, i) =>
    el("li.sv-choice", { "data-state": i === votes?.right ? "right" : null }, text),
  );
  showVotes(items, votes);
  return items;
}
