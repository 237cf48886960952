// Shapes of a trace that was read, for the checker of types: the events are the engine's (assets/engine/types.d.ts).

import type { Config, Finished, LaneName, ModelInfo, Prefill, Round } from "../engine/types.js";

export type Type = { null?: boolean } & (
  | { is: "text" | "bool" }
  | { is: "one"; of: string[] }
  | { is: "list"; of: Type }
  | { is: "record"; name: string }
  | { is: "int" | "float"; low: number; high: number | null; zero?: boolean }
);

/** By record: its fields, each with its type and, where it may be left out, its default. */
export type Shapes = Record<string, [name: string, type: Type, initial?: unknown][]>;

/** What a rule asks of a trace (specviz/rules/). */
export interface RuleInfo {
  exact: boolean;
  tests_u: boolean;
  whole_block: boolean;
  tests_softmax: boolean;
  trees: "no" | "also" | "only";
}

/** What the reader knows of traces, from Python. */
export interface Contract {
  shapes: Shapes;
  rules: Record<string, RuleInfo>;
  limits: { file: number; line: number; lines: number };
}

export interface Clocked {
  decode_ms: number;
  processor_ms: number | null;
}

export interface Logits {
  vanilla: number;
  speculative: number;
}

export interface Header {
  prompt: string;
  config: Config;
  target: ModelInfo;
  draft: ModelInfo | null;
  machine: { device: string; threads: number; python: string; torch: string; transformers: string; note: string };
  created: string;
  divergence: { at: number; alone: Logits; block: Logits } | null;
  drafter: string | null;
  repeats: Record<LaneName, Clocked>[];
  engine: string;
  engine_version: string;
  exact: boolean | null;
  departures?: string[];
}

export type Event = Prefill | Round | Finished;
export interface Trace extends Record<LaneName, Event[]> {
  header: Header;
}
export type {
  Cache,
  Config,
  Drafted,
  Emitted,
  Finished,
  LaneName,
  ModelInfo,
  Position,
  Prefill,
  Residual,
  Round,
  Token,
} from "../engine/types.js";
