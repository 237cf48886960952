// A record of another engine, as specviz/picture/record.py gives it.

import type { Slow } from "../shared/causes.js";
import type { Hardware } from "../shared/hardware.js";
import type { Told } from "../shared/positions.js";
import type { Mount } from "../shared/types.js";
import type { decide } from "./decision.js";

export interface RecordMount extends Mount<{ value: string }> {
  server: { everything(asked: string): Promise<string> };
}

/** What the late script exports. */
export type RecordScript = typeof import("./late.js");

export interface Totals {
  drafted: number | null;
  accepted: number | null;
  steps: number | null;
  accepted_of_drafted: number | null;
  drafted_per_step: number | null;
  tokens_per_step: number | null;
  tokens: number | null;
  tokens_per_second: number | null;
  paced: number;
}

export type Steps = { request: number; steps: number; accepted: number[]; drafted: number[] | null };

export interface Spread {
  what: "tokens_per_step" | "accepted_of_drafted";
  from: number;
  width: number;
  bins: number[];
  least: number;
  median: number;
  most: number;
  percentiles: { [share: string]: number };
  worst: {
    request: number;
    value: number;
    accepted: number;
    drafted: number;
    prompt: number | null;
    tokens: number | null;
  }[];
  prompts: Prompts | null;
}

export interface Prompts {
  points: [number, number][];
  of: number;
  thirds: { from: number; to: number; requests: number; accepted_of_drafted: number | null; median: number }[];
}

export interface Moment {
  seconds: number;
  tokens_per_step: number | null;
  accepted_of_drafted: number | null;
  running: number | null;
  tokens_per_second: number | null;
}

/** The chance to keep position 1, 2, … once it is reached (specviz/picture/decision.py). */
export interface Evidence {
  low: number[];
  middle: number[];
  high: number[];
  measured: number;
  rare: boolean;
  assumed: string[];
  missing: string | null;
}

/** In target passes over one token. */
export type Costs = { c: number; v: number[] };

export type Decided = ReturnType<typeof decide>;

export type Flags = { one: string; off: string; table?: string; entry?: string; join?: string };

/** Steps of one K, where a record has several. */
export interface OfK {
  K: number | null;
  requests: number;
  drafted: number | null;
  accepted: number | null;
  steps: number | null;
  accepted_of_drafted: number | null;
  tokens_per_step: number | null;
  positions: Told[];
}

export interface Record {
  engine: string;
  format: string | null;
  /** What stands behind the reader of this format. */
  evidence_of_format: string | null;
  of: "requests" | "server" | "difference" | "log" | "gauges" | "bench";
  requests: number;
  silent: number;
  totals: Totals;
  positions: Told[];
  tables: OfK[];
  /** What was left out and why: sentences by key, and what fills them in. */
  notes: [string, { [name: string]: string | number }][];
  /** Sentences of what it means, by key, and what fills them in. */
  means: [string, { [name: string]: string }][];
  rounds: Steps[];
  spread: Spread | null;
  at_once: number | null;
  K: number | null;
  moments: Moment[];
  evidence: Evidence;
  flags: Flags | null;
  dictionary: { engine: string; says: string }[];
  unread: [string, string][];
  hardware: Hardware;
  slow: Slow;
  untold: string[];
}
