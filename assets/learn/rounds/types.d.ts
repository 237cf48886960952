// What the chapter is drawn from (specviz/page/learn/chapters/rounds.py), for the checker of types.

import type { Round } from "../../shared/types.js";
import type { Pair, Written } from "../types.js";

export type * from "../types.js";

/** What each cache holds of a token after its round. */
export interface Cached extends Written {
  target: "held" | "back" | "none";
  draft: "held" | "back" | "none";
}

export interface Rounds extends Pair {
  K: number;
  rounds: Cached[][];
  drawn: Round[];
  before: string[];
}
