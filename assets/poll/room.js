// The teacher's room: one for the whole lesson, in which chapters and rules are asked about and the Lab plays.

import { linkTo } from "../shared/room.js";
import { readTabStored, writeTabStored } from "../shared/store.js";

/** @import { OpenRoom, PollWords, Seen } from "./types.js" */

const EVERY = 1000; // ms between two looks

/** @param {Record<string, (sent?: any) => Promise<string>>} server @param {PollWords} words */
export function makeRoom(server, words) {
  /** @type {OpenRoom | null} */
  let open = readTabStored("room")?.room ?? null;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  let timer = 0;
  const room = {
    words,
    get open() {
      return open;
    },
    /** @type {Seen | null} */
    seen: null,
    /** Whether there is a server with rooms. */
    here: typeof server.room_ask === "function",
    said: "",
    /** @param {string} what @param {object} sent @returns {Promise<any>} */
    async ask(what, sent = {}) {
      try {
        return JSON.parse(await server[what]({ ...open, ...sent }));
      } catch (error) {
        console.warn(error);
        return { error: words.room_lost };
      }
    },
    /** Put a question to the phones. @param {string | null} about */
    put: (about) => send("room_ask", { about }),
    /** @param {string} about @param {number} right */
    reveal: (about, right) => send("room_reveal", { about, right }),
    /** All questions of the study, before or after the lesson; null ends them. @param {string | null} now */
    survey: (now) => send("room_survey", { now }),
    /** @param {() => void} listener */
    hear: (listener) => listeners.add(listener),
    forget: () => listeners.clear(),
    look,
  };

  const tell = (/** @type {string} */ said) => {
    room.said = said;
    for (const listener of listeners) listener();
  };

  /** Ask it of the room; without one a room is opened first. @param {string} what @param {object} sent */
  async function send(what, sent) {
    open ??= readTabStored("room")?.room ?? null; // opened in another tab of the page
    if (!open) {
      const opened = await room.ask("room_open", { prompt: words.room_text });
      if (opened.error) return tell(opened.error);
      const { code, key, lan } = opened;
      open = { code, key, ...linkTo(code, lan) };
      writeTabStored("room", { room: open, settings: { who: "room", prompt: words.room_text } });
    }
    tell((await room.ask(what, sent)).error ?? "");
    look();
  }

  /** As long as a room is open it is looked at, so that it stays so. */
  async function look() {
    clearTimeout(timer);
    if (!open || !room.here) return;
    const seen = await room.ask("room_look", { shown: 1e6 });
    if (seen.gone) {
      open = room.seen = null;
      writeTabStored("room", null);
      return tell(words.room_over);
    }
    if (!seen.error) room.seen = seen;
    tell(seen.error ?? "");
    clearTimeout(timer);
    timer = window.setTimeout(look, EVERY);
  }
  return room;
}
