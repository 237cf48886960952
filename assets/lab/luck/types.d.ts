// What the experiment Luck finds (specviz/lab/luck.py), for the checker of types.

export type Spread = { median: number; low: number; high: number; first: number; third: number; runs: number };

export type Measure = "alpha" | "tokens_a_round" | "speedup";

export interface Setting {
  drafter: string;
  K: number;
  temperature: number;
  verifier: string;
  drafting: string;
  tree?: string;
  children?: string;
  nodes?: number;
}

export interface LuckRun {
  setting: number;
  seed: number;
  again: boolean;
  alpha: number | null;
  tokens_a_round: number;
  /** Null where the run was disturbed. */
  speedup: number | null;
  disturbed: boolean;
  /** its speedup is by processor time */
  by_processor?: boolean;
}

export interface LuckResult {
  settings: Setting[];
  dots: LuckRun[];
  spreads: Record<Measure, Spread | null>[];
  same: Spread | null;
  clock: [number, number, number] | null;
  ratio: Spread | null;
  needed: number | null;
  disturbed: number;
  sentence: string;
}
