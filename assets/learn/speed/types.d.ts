// What the chapter is drawn from (specviz/page/learn/chapters/speed.py), for the checker of types.

import type { Costs, Pair } from "../types.js";

export type * from "../types.js";

/** `stayed`: the share of the `whole` rounds in which the first i drafts stayed, for i from 1 to K; `given`: tokens a round of all rounds. */
export type Speed = Pair & Costs & { stayed: number[]; whole: number; given: number | null; by_k: ByK };

/** At one K: `accepted`: of the tokens tested at each position, the share that was accepted; `after`: the share of rounds that start after a rejection;
 * `rejected`, `whole`: how many first tokens are accepted there, and after a whole block. */
export type AtK = { K: number; rounds: number; accepted: number[]; after: number; rejected: number; whole: number };

export type ByK = { target: string; draft: string; temperature: number; prompts: number; seeds: number; rows: AtK[] };
