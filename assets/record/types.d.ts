// A record of another engine, as specviz/picture/record.py gives it.

import type { Slow } from "../shared/causes.js";
import type { Hardware } from "../shared/hardware.js";
import type { PositionCounts } from "../shared/positions.js";
import type { Mount } from "../shared/types.js";
import type { decisionOf } from "./decision.js";

export interface RecordMount extends Mount<{ value: string }> {
  server: { everything(request: string): Promise<string> };
}

/** What draws it, which the page is sent with the first as window.specvizRecord (specviz/page/watch/race.py). */
export type RecordScript = typeof import("./panel.js");

type OrNull<Name extends string> = { [name in Name]: number | null };
type Rates = "accepted_of_drafted" | "tokens_per_step";
type Counts = "drafted" | "accepted" | "steps";

export type Totals = OrNull<Counts | Rates | "drafted_per_step" | "tokens" | "tokens_per_second"> & { paced: number };

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
  worst: (OrNull<"prompt" | "tokens"> & { request: number; value: number; accepted: number; drafted: number })[];
  prompts: Prompts | null;
}

export interface Prompts {
  points: [number, number][];
  of: number;
  thirds: { from: number; to: number; requests: number; accepted_of_drafted: number | null; median: number }[];
}

export type Moment = OrNull<Rates | "running" | "tokens_per_second"> & { seconds: number };

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

export type Decision = ReturnType<typeof decisionOf>;

export type Flags = { one: string; off: string; table?: string; entry?: string; join?: string };

/** Steps of one K, where a record has several. */
export type OfK = OrNull<Counts | Rates | "K"> & { requests: number; positions: PositionCounts[] };

export interface Record {
  engine: string;
  format: string | null;
  /** What stands behind the reader of this format. */
  evidence_of_format: string | null;
  of: "requests" | "server" | "difference" | "log" | "gauges" | "bench";
  requests: number;
  silent: number;
  totals: Totals;
  positions: PositionCounts[];
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
