// What a rule is in a browser, for its checker (specviz/rules/base.py).

import type { Round } from "../trace/fields.js";

/** The settings of rules. */
export type Config = { theta: number; epsilon: number; delta: number };
export type Problems = Generator<[field: string, problem: string], void, void>;

/** What a rule is given (BlockInputs). */
export interface BlockInputs {
  x: number[];
  px: number[];
  qx: number[];
  p: Float32Array[];
  q: Float32Array[] | null;
  u: number[];
}

export interface Decision {
  accepted: number;
  after: Float32Array | null;
  joint?: number[];
  chance?: number[];
  mass?: number | null;
}

/** A drafted tree as rules see it, and what they say. */
export interface TreeInputs {
  x: number[];
  children: number[][];
  p: Float32Array[];
  q(node: number): Float32Array;
  s(node: number): Float32Array;
  u: number[];
  y(node: number): number;
}

export interface Walk {
  path: number[];
  tested: number[];
  p: Float32Array[];
  q: Float32Array[];
  after: Float32Array | null;
  last: number | null;
  mass: number | null;
}

/** The file of a rule. */
export interface Forms {
  verify(block: BlockInputs, config: Config): Decision;
  walk?(tree: TreeInputs, config: Config): Walk;
  contradictions?(round: Round, config: Config): Problems;
  /** of a rule that the compiled function decides */
  theta?(config: Config): number;
}

/** The same with its record in Python. */
export interface Rule extends Forms {
  exact: boolean;
  draws_each: boolean;
  tests_u: boolean;
  from_residual: boolean;
  trees: "no" | "also" | "only";
  whole_block: boolean;
  tests_softmax: boolean;
}
