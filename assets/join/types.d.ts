// Shapes of a phone's page, for the checker of types: what its room tells it (specviz/page/lab/classroom/rooms.py).

import type { Played } from "../lab/classroom/types.js";
import type { Token } from "../shared/types.js";

export type { Played };

/** `most`: characters of a guess. */
export interface Given {
  words: Record<string, string>;
  most: number;
  roles: Record<string, { glyph: string; word: string }>;
}

export interface Look {
  round: number;
  here: number;
  guessed: number;
  text: string;
  guess: Token[];
  last: Played | null;
  playing: boolean;
  ended: string | null;
  left: number;
}
