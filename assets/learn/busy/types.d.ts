// What the chapter is drawn from (specviz/page/learn/chapters/busy.py), for the checker of types.

import type { Slow } from "../../shared/causes.js";
import type { Size } from "../../shared/hardware.js";

export type * from "../types.js";

/** What drafting gains where many texts are decoded at once, as one machine measured it. */
export interface Batches {
  device: string;
  target: string;
  draft: string;
  context: number;
  batches: number[];
  rows: { alpha: number; best: { K: number; speedup: number }[] }[];
  spoken: number;
  block: number;
  v: number[];
  alone: number[];
}

/**
 * How many experts of a layer a block reads (scripts/experts.py). `blocks`: by its length `n`, from 1: `union` on average, `low` and
 * `high` the quartiles, `apart` for tokens of random places, `formula` for tokens that choose at random, `v` by the bytes that a pass reads.
 * `block`: of one recorded block the experts of each token, by layer.
 */
export interface Experts {
  model: string;
  experts: number;
  chosen: number;
  texts: number;
  tokens: number;
  blocks: Record<"n" | "union" | "low" | "high" | "apart" | "formula" | "v", number>[];
  block: { tokens: string[]; chosen: number[][][] };
  /** a published mixture, for the formula */
  large: Size;
}

export type Busy = { measured: Batches[]; experts: Experts | null; slow: Slow };
