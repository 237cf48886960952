// A record of another engine, as specviz/picture/record.py gives it.

import type { Told } from "../shared/positions.js";

export interface Totals {
  drafted: number;
  accepted: number;
  steps: number | null;
  accepted_of_drafted: number | null;
  drafted_per_step: number | null;
  tokens_per_step: number | null;
  tokens: number | null;
  tokens_per_second: number | null;
  paced: number;
}

export interface Steps {
  request: number;
  steps: number;
  accepted: number[];
  drafted: number[] | null;
}

export interface Spread {
  what: "tokens_per_step" | "accepted_of_drafted";
  from: number;
  width: number;
  bins: number[];
  least: number;
  median: number;
  most: number;
}

export interface Record {
  engine: string;
  of: "requests" | "server";
  requests: number;
  silent: number;
  totals: Totals;
  positions: Told[];
  rounds: Steps[];
  spread: Spread | null;
  untold: string[];
}
