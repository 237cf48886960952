// What the chapter is drawn from (specviz/page/learn/chapters/speed.py), for the checker of types.

import type { Costs, Pair } from "../types.js";

export type * from "../types.js";

/** `stayed`: the share of the `whole` rounds in which the first i drafts stayed, for i from 1 to K; `given`: tokens a round of all rounds. */
export interface Speed extends Pair, Costs {
  stayed: number[];
  whole: number;
  given: number | null;
}
