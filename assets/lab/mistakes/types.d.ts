// Shapes of the panel Break it, for the checker of types.

import type { FormulaError } from "./expression.js";

/** A chance for each token, by its number; together 1. */
export type Distribution = readonly number[];

/** Where chance comes from: drawn, or every way followed (cases.js). */
export interface Chance {
  /** A token from this distribution. */
  pick(p: Distribution): number;
  /** Whether a new u on [0, 1) is below this. */
  below(bound: number): boolean;
  /** The same with ≤, and a u of 8 bits: one of 256 values, 0 among them. */
  atMost(bound: number): boolean;
}

/** The token that comes at a position, and whether the round goes on behind it: it was the draft's. */
export type TokenOutcome = { x: number; stays: boolean };

/** `i`: the place in the block, 1 to K; one position alone is a block of one. */
export type TokenRule = (p: Distribution, q: Distribution, chance: Chance, i?: number, K?: number) => TokenOutcome;

/** The distributions of the next token after a text. */
export type Model = { p(text: readonly number[]): Distribution; q(text: readonly number[]): Distribution };

/** The tokens that one round of at most K drafts adds to a text. */
export type RoundRule = (text: readonly number[], K: number, model: Model, chance: Chance) => number[];

/** What a formula is about: a token x at place i of a block of K. */
export type Scope = { p: Distribution; q: Distribution; x: number; i: number; K: number };

/** Where a rule does not give p: what it gives, or why it gives nothing. */
export interface Counterexample {
  p: Distribution;
  q: Distribution;
  i: number;
  K: number;
  exact?: Distribution;
  error?: FormulaError;
}

/** `right`: it follows p; null of a rule of one's own. `code`: what runs, for it to be shown. */
export interface Rule {
  key: string;
  right: boolean | null;
  round: RoundRule;
  /** Of one position; null where the rule is about what follows a block. */
  token: TokenRule | null;
  code: TokenRule | RoundRule;
  /** Of a rule of one's own: other p and q. */
  elsewhere?: Counterexample | null;
}

/** What is drawn again and again: one token after a text, or a whole text. `names` of its outcomes, `p` their chances by the target alone. */
export interface Case {
  names: string[];
  /** The tokens by their numbers. */
  tokens: string[];
  p: Distribution;
  /** Of one position. */
  q?: Distribution;
  /** As a run recorded it over its whole vocabulary. */
  beta?: number | null;
  /** The distribution of a rule, by enumeration. */
  exact(rule: Rule): Distribution;
  /** The tokens of its first round in the mean; of one position the chance that the draft token stays, where there is such a token. */
  roundMeans(rule: Rule): { stays: number | null; tokens: number };
  /** One outcome by its number. */
  draw(rule: Rule, chance: Chance): number;
}
