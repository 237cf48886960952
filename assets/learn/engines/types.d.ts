// What the chapter is drawn from (specviz/page/learn/chapters/engines.py), for the checker of types.

import type { Chances, Token } from "../../shared/types.js";
import type { Pair } from "../types.js";

export type * from "../types.js";

/** A recorded position by its largest tokens; `equal`: draft and target prefer the same one. */
export type Place = { entries: { token: Token; p: number; q: number }[]; chances: Chances; equal: boolean };

/** `means`: over all `positions` that the run tested. */
export interface Engines extends Pair {
  recorded: { places: Place[]; means: Chances; positions: number } | null;
  engines: EngineOfOthers[];
  inexact: Inexact[];
  masked: Masked | null;
}

/** Sums over runs. */
export type GrammarCounts = Record<"rounds" | "tokens" | "drafted" | "tested" | "accepted" | "void" | "forced", number>;

/** The same question with a grammar and without, by so many `seeds` each (scripts/count_grammar.py). */
export interface Masked {
  target: string;
  draft: string;
  K: number;
  temperature: number;
  seeds: number;
  with: GrammarCounts;
  without: GrammarCounts;
}

/** How an engine drafts and tests by default, the chance that gives, what else can be set, and how it is `known`. */
export type EngineOfOthers = Record<"name" | "known" | "default" | "chance" | "options" | "inexact", string>;

/** How far a rule that is not exact is from the target's distribution: on average and at worst, by how tokens are drafted. */
export type Inexact = { name: string; who: string; drawn: [number, number]; argmax: [number, number] };
