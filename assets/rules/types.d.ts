// What a rule is in a browser, for its checker (specviz/rules/rejection.py).

import type { Round } from "../trace/fields.js";

/** The settings of rules. */
export type Config = { theta: number; epsilon: number; delta: number };
export type Problems = Generator<[field: string, problem: string], void, void>;

/** The file of a rule: where a round of a trace contradicts it. */
export type Forms = { contradictions(round: Round, config: Config): Problems };

/** A rule as its record in Python says, and its form. */
export interface Rule extends Partial<Forms> {
  exact: boolean;
  draws_each: boolean;
  tests_u: boolean;
  from_residual: boolean;
  whole_block: boolean;
  tests_softmax: boolean;
}
