// Shapes of a phone's page, for the checker of types: what its room tells it (specviz/page/classroom/rooms.py).

import type { PlayedRound } from "../lab/types.js";
import type { Token } from "../shared/types.js";

export type { PlayedRound };

/** `most`: characters of a guess. */
export interface PhonePage {
  words: Record<string, string>;
  most: number;
  roles: Record<string, { glyph: string; word: string }>;
}

/** A question of the teacher; `own`: what this phone chose. The rest comes with the answer. */
export interface Poll {
  about: string;
  ask: string;
  choices: string[];
  own: number | null;
  voted?: number;
  counts?: number[];
  right?: number;
  why?: string;
}

/** A token of this phone's guess of the round that is over. `passes`: whether it is accepted; null where p is not known. */
export interface OwnToken {
  token: Token;
  p: number | null;
  q: number | null;
  u: number | null;
  passes: boolean | null;
  drafted: boolean;
}

/** `before`: what became of this phone's guess of the round that is over; `name`: what it is called here. */
export interface RoomView {
  round: number;
  here: number;
  guessed: number;
  text: string;
  guess: Token[];
  last: PlayedRound | null;
  before: OwnToken[];
  name: string;
  poll: Poll | null;
  playing: boolean;
  ended: string | null;
  left: number;
}
