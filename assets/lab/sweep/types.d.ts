// What the experiment Sweep finds (specviz/lab/sweep.py), for the checker of types.

import type { Spread } from "../luck/types.js";

export type Where = { drafter: string; K: number; temperature: number };

export interface Cell extends Record<"alpha" | "c" | "v" | "predicted", number | null> {
  where: Where;
  runs: number;
  /** of the runs that nothing disturbed; null where every one was */
  speedup: Spread | null;
  tokens_a_round: number;
  drafted_a_round: number;
  disturbed: number;
  /** of the runs that are compared by processor time */
  by_processor?: number;
}

export interface Way {
  drafter: string;
  alpha: number;
  c: number;
  best: boolean;
  K: number | null;
  speedup: number | null;
}

/** `done` runs of `of`. */
export interface SweepResult {
  done: number;
  of: number;
  cells: Cell[];
  ways: Way[];
  /** Of all cells: by the names of a link to Watch. */
  ran: Record<string, string>;
}
