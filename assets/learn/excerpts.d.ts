// What the pictures of Learn are drawn from (specviz/page/learn/excerpts.py), for the checker of types.

import type { Position, Role, Round, Token, Told } from "../shared/types.js";

/** A token of a text that is only shown. */
export type Written = { text: string; role: Role | "prompt" };

/** `bytes`: of all its weights. */
export type Weighed = { name: string; bytes: number };

export type Pair = { target: Weighed; draft: Weighed; device: string; temperature: number };

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

/** What passes over n tokens took somewhere, in milliseconds. */
export type Recorded = { error?: undefined; ms: Record<number, number>; target: string; device: string };

/** A round, the text before it, and its run's costs. */
export interface Scene<Draft extends Told = Told> extends Pair, Costs {
  run: string;
  before: Written[];
  round: Omit<Cut, "drafted"> & { drafted: Draft[] };
}

type Cut = Omit<Round, "drafted" | "times"> & { drafted: Told[]; times: { [part in keyof Round["times"]]: number } };

/** A drafted token at a position where q is known: such are the rounds of the chapter on drafting. */
export interface Known extends Told {
  position: Omit<Position, "entries"> & { entries: { token: Token; p: number; q: number }[] };
}

/** One that was tested with a coin: such are, up to the rejected one, the rounds of the chapter on accepting. */
export type Tested = Known & { ratio: number; u: number };

/** By chapter, each in the shape that its picture names; null where no recorded run shows it. */
export type Excerpts = { [key: string]: object | null; alone: Pair & { recorded: Recorded[] }; speed: Pair & Costs };
