// What the chapter is drawn from (specviz/page/learn/chapters/rounds.py), for the checker of types.

import type { Round } from "../../shared/types.js";
import type { Pair, Question, Written } from "../types.js";

export type * from "../types.js";

/** What each cache holds of a token after its round. */
export type Cached = Written & { target: "held" | "back" | "none"; draft: "held" | "back" | "none" };

export interface Rounds extends Pair {
  K: number;
  rounds: Cached[][];
  drawn: Round[];
  before: string[];
  state: State | null;
  /** before the picture of the state */
  ask: Question;
}

/** A target with layers that keep a state: a round that rejects, and one that keeps all; `cost` null where times are withheld. */
export type State = Pair & { layers: number; states: number; drawn: Round[]; before: string[]; cost: StateCost | null };

/** In target passes over one token; `again`: by how many tokens were read again. Of the speedups `cut` is calculated. */
export interface StateCost {
  copy: number;
  rejected: number;
  again: { n: number; passes: number; rounds: number }[];
  speedup: number;
  cut: number;
}
