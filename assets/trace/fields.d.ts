// Made from the dataclasses of specviz/trace/ and specviz/config.py by `python -m scripts.made_docs`.

export interface Header {
  prompt: string; config: DecodeConfig; target: ModelInfo; draft: ModelInfo | null; machine: Machine; created: string;
  divergence: Divergence | null;
  drafter: "model" | "lookup" | "bigram" | "early-exit" | "mtp" | "eagle" | "block" | "oracle" | "random" | null;
  eos: number[] | null; chat: boolean | null; repeats: Repeat[]; engine: string; engine_version: string;
  exact: boolean | null; departures: string[];
}

export interface DecodeConfig {
  K: number; temperature: number; top_k: number; top_p: number; max_new_tokens: number; stop: string[]; seed: number;
  ignore_eos: boolean; verifier: "rejection" | "match" | "block" | "typical" | "threshold" | "siblings" | "places";
  confidence: number; adaptive: boolean; drafting: "sample" | "argmax"; epsilon: number; delta: number; theta: number;
  survival: number; tree: "off" | "static" | "dynamic"; children: string; nodes: number; grammar: string;
}

export interface ModelInfo {
  name: string; family: string; layers: number; width: number; vocabulary: number; parameters: number; dtype: string;
  forward: "own" | "transformers" | "none" | "other"; why: string; context: number | null; weights: WeightFile[];
  note: string; window: number | null; state_layers: number; size: number; arithmetic: string;
}

export interface WeightFile {
  name: string; sha256: string | null;
}

export interface Machine {
  device: string; threads: number; python: string; torch: string; transformers: string; note: string;
}

export interface Divergence {
  at: number; vanilla: Token; speculative: Token; alone: Logits; block: Logits;
}

export interface Token {
  id: number; text: string; partial: boolean;
}

export interface Logits {
  vanilla: number; speculative: number;
}

export interface Repeat {
  vanilla: LaneTime; speculative: LaneTime;
}

export interface LaneTime {
  decode_ms: number; processor_ms: number | null;
}

export interface Prefill {
  event: "prefill"; prompt: Token[]; target_positions: number | null; draft_positions: number | null;
  target_ms: number | null; draft_ms: number | null;
}

export interface Round {
  event: "round"; index: number; drafted: Drafted[]; emitted: Emitted[]; residual: Residual | null;
  target_cache: Cache | null; draft_cache: Cache | null; target_forwards: number; draft_forwards: number | null;
  times: Times; asked: number | null;
  fewer: "length" | "adaptive" | "confidence" | "survival" | "context" | "lookup" | "start" | "prefill" | "filter" | null;
  choice: Choice | null;
}

export interface Drafted {
  token: Token; q: number | null; p: number | null; ratio: number | null; u: number | null;
  verdict: "accepted" | "rejected" | "unexamined"; position: Position | null; joint: number | null;
  chance: number | null; parent: number | null; depth: number | null; rank: number | null; void: boolean;
}

export interface Position {
  entries: Entry[]; p_rest: number; q_rest: number | null; beta: number | null; p_entropy: number;
  q_entropy: number | null; product: number | null; best: number | null; own: Own | null;
  logits_entropy: number | null; softmax: Softmax | null;
}

export interface Entry {
  token: Token; p: number; q: number | null;
}

export interface Own {
  entries: number[]; rest: number; beta: number; entropy: number;
}

export interface Softmax {
  entries: Entry[]; p_rest: number; q_rest: number | null;
}

export interface Emitted {
  token: Token; role: "accepted" | "corrected" | "bonus" | "plain"; piece: string; u: number | null;
  position: Position | null; forced: boolean;
}

export interface Residual {
  entries: ResidualEntry[]; rest: number; mass: number;
}

export interface ResidualEntry {
  token: Token; probability: number;
}

export interface Cache {
  before: number; peak: number; after: number; replayed: number; window: number | null;
}

export interface Times {
  draft: number | null; verify: number | null; decide: number | null; rest: number; observe: number; replay: number;
}

export interface Choice {
  K: number; why: "trial" | "most" | "none" | "probe"; alpha: number | null; c: number | null; v: number | null;
  speedup: number | null;
}

export interface Finished {
  event: "finished"; reason: "eos" | "context" | "cancelled" | "error" | "length" | "stop"; detail: string;
  text: string; tokens: number; rounds: number; drafted: number; tested: number; accepted: number;
  target_forwards: number; draft_forwards: number | null; prefill_ms: number | null; decode_ms: number;
  observe_ms: number; capture_ms: number; eager: string; processor_ms: number | null; device_ms: number | null;
}

/** What the browser's engine reads of a run's settings. */
export type SettingHere =
  "K" | "confidence" | "drafting" | "ignore_eos" | "max_new_tokens" | "seed" | "stop" | "temperature" | "top_k" |
  "top_p" | "verifier";
