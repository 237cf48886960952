// What the chapter is drawn from (specviz/page/learn/chapters/busy.py), for the checker of types.

import type { Slow } from "../../shared/causes.js";

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

export interface Busy {
  measured: Batches[];
  slow: Slow;
}
