// The teacher's room: one for the whole lesson, in which chapters and rules are asked about and the Lab plays.

import { forgetRoom, openedRoom, readRoom, showCode, writeRoom } from "../shared/room.js";

/** @import { OpenRoom, PollWords, RoomState } from "./types.js" */

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
    /** @param {string} about @param {number} right */
    revealAnswer(about, right) {
      showCode(false); // the answer is what a class looks at
      request("room_reveal", { about, right });
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
      const opened = await room.callServer("room_open", { prompt: words.room_text });
      if (opened.error) return notify(opened.error);
      open = openedRoom(opened);
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
