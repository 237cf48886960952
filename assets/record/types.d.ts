// A record of another engine, as specviz/picture/record.py gives it.

import type { PositionCounts } from "../player/dom.js";
import type { Mount } from "../shared/types.js";

export interface RecordMount extends Mount<{ value: string }> {
  server: { everything(request: string): Promise<string> };
}

/** What draws it, which the page is sent with the first as window.specvizRecord (specviz/page/watch/race.py). */
export type RecordPlace = ReturnType<typeof import("./place.js").place>;

type OrNull<Name extends string> = { [name in Name]: number | null };
type Rates = "accepted_of_drafted" | "tokens_per_step";
type Counts = "drafted" | "accepted" | "steps";

export type Totals = OrNull<Counts | Rates | "drafted_per_step" | "tokens_per_pass" | "tokens" | "tokens_per_second"> & {
  paced: number;
};

/** The chance to keep position 1, 2, … once it is reached (specviz/picture/record.py). */
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

export type Flags = { one: string; off: string };

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
  at_once: number | null;
  K: number | null;
  evidence: Evidence;
  flags: Flags | null;
  unread: [string, string][];
  untold: string[];
}
