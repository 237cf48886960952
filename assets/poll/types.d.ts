// Shapes of a room as its teacher's page has it, for the checker of types (specviz/page/classroom/teacher.py).

import type { Sheet } from "../learn/types.js";

/** POLL of specviz/page/classroom/words.py. */
export type PollWords = Record<
  | "phones_ask"
  | "phones_answer"
  | "phones_end"
  | "phones_voted"
  | "phones_qr"
  | "phones_reached"
  | "room_text"
  | "room_lost"
  | "room_over",
  string
>;

/** A room that is open, as this page's own: its link has the code, not the key. */
export interface OpenRoom {
  code: string;
  key: string;
  link: string;
  /** The page was opened at an address that only this machine knows. */
  local: boolean;
}

/** What was voted on a question; `right` once the answer is shown. */
export interface Votes {
  about: string;
  choices: string[];
  voted: number;
  counts: number[];
  right: number | null;
}

export interface Seen {
  here: number;
  poll: Votes | null;
  survey: { now: string | null; done: number; given: number };
}

export interface Room {
  words: PollWords;
  /** Whether there is a server with rooms. */
  readonly here: boolean;
  readonly open: OpenRoom | null;
  seen: Seen | null;
  said: string;
  ask(what: string, sent?: object): Promise<{ error?: string; picture?: string; rows?: Sheet[] }>;
  put(about: string | null): Promise<void>;
  reveal(about: string, right: number): Promise<void>;
  survey(now: string | null): Promise<void>;
  hear(listener: () => void): void;
  forget(): void;
  look(): void;
}
