// Shapes of a room as its teacher's page has it, for the checker of types (specviz/page/classroom/messages.py).

import type { LearnKey, PanelKey } from "../shared/keys.js";
import type { makeRoom } from "./poll.js";

/** POLL of specviz/page/classroom/messages.py. */
export type PollWords = Record<LearnKey & PanelKey & `${"phones" | "room"}_${string}`, string>;

/** A room that is open, as this page's own: its link has the code, not the key. */
export interface OpenRoom {
  code: string;
  key: string;
  link: string;
  /** Only this machine reaches the link. */
  local: boolean;
  /** ms since 1970: it ends by itself then */
  until: number;
}

/** What the server says of a room that it has opened. `left`: seconds; `lan`: its machine's address in its network now, if any. */
export type OpenedRoom = { code: string; key: string; left: number; lan: string | null };

/** What a browser keeps of its room. `settings`: of the panel in the Lab; `codeClosed`: its code is not shown. */
export interface StoredRoom {
  room: OpenRoom;
  settings: Record<string, string>;
  codeClosed?: boolean;
}

/** What was voted on a question; `right` once the answer is shown. */
export type Votes = { about: string; choices: string[]; voted: number; counts: number[]; right: number | null };

export interface RoomState {
  here: number;
  poll: Votes | null;
}

export type Room = ReturnType<typeof makeRoom>;
