// Shapes of cards, models and passes, for the checker of types: assets/shared/hardware.json and what is worked out.

export interface Card {
  key: string;
  name: string;
  /** 10⁹ bytes a second */
  bandwidth: number;
  /** 10¹² operations a second, dense, 16 bits */
  peak: number;
  /** 10⁹ bytes */
  memory: number;
  /** the vendor's paper and its year; where only others' copies of its figures could be read, that and when */
  source: string;
}

export interface Size {
  key: string;
  name: string;
  /** 10⁹ */
  parameters: number;
  layers: number;
  heads: number;
  kv_heads: number;
  head_size: number;
  active: number | null;
  experts: number | null;
  chosen: number | null;
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
}

export interface Hardware {
  cards: Card[];
  models: Size[];
  engines: { key: string; name: string; launch: [number, number] }[];
  reach: [number, number];
}
