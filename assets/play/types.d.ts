// Shapes of the game in which one person is the draft, for the checker of types.

import type { GameKey } from "../shared/keys.js";
import type { Token } from "../shared/types.js";

/** Of a guess: whole, with a word from the same look or at the text's end; its beginning; nothing of it. */
export type Outcome = "kept" | "kept_last" | "part" | "struck";

/** How likely the target found a token; whether it is the guess. */
export type Chance = { token: Token; p: number; own: boolean };

/** Words of the game (specviz/words/classroom.toml). */
export type GameWords = Record<GameKey, string> & { texts: string[] };

/** Who answers, each with a text of JSON. On a page without a server: `note`, what is fetched first; `hear`, how far that is. */
export interface GameServer {
  begin(text: object): Promise<string>;
  score(guess: object): Promise<string>;
  note?: () => string;
  hear?: (act: (sentence: string) => void) => void;
}

export type Game = { root: HTMLElement; focus(): void };

export type MakeGame = (words: GameWords, server: GameServer) => Game;

/** The game, once its script is there. */
export type LoadGame = () => Promise<Game>;
