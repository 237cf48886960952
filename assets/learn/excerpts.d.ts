// What the pictures of Learn are drawn from (specviz/page/learn/excerpts.py, busy.py), for the checker of types.

import type { Chances, Position, Role, Round, Token, Told } from "../shared/types.js";

/** A token of a text that is only shown. */
export interface Written {
  text: string;
  role: Role | "prompt";
}

/** `bytes`: of all its weights. */
export interface Weighed {
  name: string;
  bytes: number;
}

export interface Pair {
  target: Weighed;
  draft: Weighed;
  device: string;
  temperature: number;
}

/** α, c and v as measured in a run, null where the run does not hold them. */
export interface Costs {
  alpha: number | null;
  K: number;
  c: number | null;
  v: number | null;
  tokens_per_round: number | null;
  predicted: number | null;
  speedup: number | null;
  one_ms: number;
}

export interface Alone extends Pair {
  before: Written[];
  tokens: Written[];
  recorded: Recorded | null;
}

/** What passes over n tokens took somewhere, in milliseconds. */
export interface Recorded {
  error?: undefined;
  ms: Record<number, number>;
  target: string;
  device: string;
}

/** A round, the text before it, and its run's costs. */
export interface Scene<Draft extends Told = Told> extends Pair, Costs {
  run: string;
  before: Written[];
  round: Omit<Cut, "drafted"> & { drafted: Draft[] };
}

type Cut = Pick<Round, "emitted"> & {
  drafted: Told[];
  times: { [part in keyof Round["times"]]: number };
};

/** A drafted token at a position where q is known: such are the rounds of the chapter on drafting. */
export interface Known extends Told {
  position: Omit<Position, "entries"> & { entries: { token: Token; p: number; q: number }[] };
}

/** One that was tested with a coin: such are, up to the rejected one, the rounds of the chapter on accepting. */
export interface Tested extends Known {
  ratio: number;
  u: number;
}

/** `betas`: of every position that the run tested. */
export interface Accepting extends Scene {
  betas: number[];
}

/** A position by its largest tokens and one entry for all others. */
export interface Law {
  entries: Part[];
  beta: number;
}

/** `shared` and `excess` add up to p. */
export interface Part {
  token: Token | null;
  p: number;
  q: number;
  shared: number;
  excess: number;
}

/** What each cache holds of a token after its round. */
export interface Cached extends Written {
  target: "held" | "back" | "none";
  draft: "held" | "back" | "none";
}

export interface Rounds extends Pair {
  K: number;
  rounds: Cached[][];
}

/** `stayed`: the share of the `whole` rounds in which the first i drafts stayed, for i from 1 to K. */
export interface Speed extends Pair, Costs {
  stayed: number[];
  whole: number;
}

export interface Whole {
  K: number;
  length: number;
}

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

export interface Ways {
  c: Record<"poor-draft" | "lookup", number | null>;
}

export interface Busy {
  measured: Batches[];
}

/** A recorded position by its largest tokens; `equal`: draft and target prefer the same one. */
export interface Place {
  entries: { token: Token; p: number; q: number }[];
  chances: Chances;
  equal: boolean;
}

/** `means`: over all `positions` that the run tested. */
export interface Engines extends Pair {
  recorded: { places: Place[]; means: Chances; positions: number } | null;
}

/** By chapter; null where no recorded run shows it. */
export interface Excerpts {
  alone: Alone;
  guess: Scene | null;
  draft: Scene<Known> | null;
  verify: Scene | null;
  accept: Accepting | null;
  residual: Law[];
  rounds: Rounds;
  whole: Whole;
  speed: Speed;
  ways: Ways;
  busy: Busy;
  engines: Engines;
}
