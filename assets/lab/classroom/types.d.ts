// Shapes of the panel in which people are the draft, for the checker of types: what Python tells of a round
// (specviz/page/classroom/asked.py), and the one state that all is drawn from.

import type { Token } from "../../shared/types.js";

export type Who = "alone" | "turns" | "room";

/** Tokens drafted, examined and kept, and the β of those examined, summed. */
export interface Counted {
  drafted: number;
  tested: number;
  accepted: number;
  beta: number;
}

export interface Place {
  entries: { token: Token; p: number; q: number }[];
  rest: { p: number; q: number };
  beta: number | null;
}

export interface Guessed {
  token: Token;
  q: number;
  p: number;
  u: number | null;
  verdict: "accepted" | "rejected" | "unexamined";
  place: Place | null;
}

export interface Added {
  token: Token;
  role: "accepted" | "corrected" | "bonus" | "plain";
  chance: number | null;
}

/** `greedy`: at temperature 0; `round`: in a room its number, from 1. */
export interface Played {
  drafted: Guessed[];
  emitted: Added[];
  people: Counted;
  others: ({ key: string; name: string } & Counted)[];
  ended: "eos" | "context" | null;
  greedy: boolean;
  round?: number;
}

/** `player`: who drafted it. */
export interface Turn extends Played {
  player: string;
}

export interface Written {
  token: Token;
  role: "prompt" | Added["role"];
}

/** `key`: of whoever opened it. `local`: this page was opened by an address that no phone knows; `lan`: the link has another in its place. */
export interface Room {
  code: string;
  key: string;
  link: string;
  local: boolean;
  lan: boolean;
}

export interface Watched {
  round: number;
  here: number;
  guessed: number;
  left: number;
  names: { id: number; name: string; guessed: boolean }[];
  played: Played[];
}

export interface State {
  who: Who;
  temperature: number;
  seed: number;
  prompt: string;
  text: Written[];
  turns: Turn[];
  room: Room | null;
  busy: boolean;
}

/** α of one who drafts: the mean of β over what was examined; null where nothing was. */
export interface Standing extends Counted {
  name: string;
  people: boolean;
  alpha: number | null;
}
