// Shapes of cards, models and passes, for the checker of types.

export interface Card {
  /** 10⁹ bytes a second */
  bandwidth: number;
  /** 10¹² operations a second, dense, 16 bits */
  peak: number;
  /** 10⁹ bytes */
  memory: number;
}

/** A mixture takes `chosen` of `experts` for a token, and so `active` parameters. */
export interface Weights {
  name: string;
  /** 10⁹ */
  parameters: number;
  active: number | null;
  experts: number | null;
  chosen: number | null;
}

export interface Size {
  name: string;
  /** 10⁹ */
  parameters: number;
  layers: number;
  heads: number;
  kv_heads: number;
  head_size: number;
}

/** ms by tokens of each text, from 1 on; and of one draft pass. */
export type Passes = { target: number[]; draft: number };

export type Served = Record<"K" | "step" | "tokens" | "latency" | "pace" | "thrown" | "speedup", number>;

/** Passes over many texts at once, as they were measured (assets/costs). */
export interface Measured {
  device: string;
  target: string;
  draft: string;
  context: number;
  batches: number[];
  /** by batch, then by tokens of each text */
  target_ms: number[][];
  draft_ms: number[];
  /** Other programs had the machine meanwhile. */
  disturbed?: boolean;
}
