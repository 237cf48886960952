// What the modules of the engine pass around, for their checker.

import type { LaneName, Config as Settings } from "../shared/types.js";
import type * as Fields from "../trace/fields.js";
import type { Tensor } from "./compiled.js";

export type { Residual, Softmax, Token } from "../trace/fields.js";
export type { LaneName };

/**
 * A record of a trace as this engine writes it: it knows each field of `Known`, leaves out those of `Default`, which any reader
 * fills in, and holds the records of `Inside`.
 */
type EngineRecord<R, Known extends keyof R = never, Default extends keyof R = never, Inside = unknown> = Inside &
  Partial<Pick<R, Default>> & { [Field in Known]: NonNullable<R[Field]> } & Omit<R, Known | Default | keyof Inside>;

export type Kind = "float32" | "float64" | "int64" | "uint32" | "uint8" | "int8";

/** An argument of a compiled function: an array, a tuple by fields, a number, or nothing. */
export type Argument = [string, number] | { [field: string]: Argument } | string | null;
export type Arguments = { [parameter: string]: Argument };
export type Value = Tensor | number | boolean | undefined | { [field: string]: Value };

/** Of specviz/engine/browser.py: what lies where in the parts, one after the other, and what there is to know of it. */
export type AssistantPart = { file: string; sha256: string; bytes: number };
type AssistantModel = { shape: Omit<Shape, "kvHeads"> & { kv_heads: number }; info: ModelInfo };
export interface AssistantIndex {
  name: string;
  size: number;
  parts: AssistantPart[];
  arrays: Record<string, [kind: Kind, shape: number[], offset: number]>;
  target: AssistantModel;
  eagle: (AssistantModel & { taps: number[] }) | null;
  context: number;
  tokenizer: AssistantPart;
  eos: number[];
  chat: string[];
}

/** A tensor of a file. */
export type StoredTensor = { dtype: string; shape: number[]; bytes: Uint8Array<ArrayBuffer> };

/** The settings of a run, of those that a trace has: a block is a chain of K tokens. */
export type Config = Pick<Settings, Fields.SettingHere>;

/** What the layers of a model have in common. */
export type Shape = { width: number; heads: number; kvHeads: number; size: number; inner: number; eps: number };

/** What makes logits of what leaves the last layer: a norm and a packed matrix of so many rows. `columns`: where those of
 * a head with a vocabulary of its own lie among the target's, ascending. */
export type Head = { norm: Tensor; matrix: Tensor; rows: number; columns?: Tensor };

/** How a head that drafts takes features and the tokens after them. */
export type Entry = { tokenNorm: Tensor };

/** How the tokens of a block are drawn inside of one compiled call. */
export type Draws = { k: number; u: number[] | null; q: Tensor; temperature: number; argmax: boolean; vocabulary: number };

/** One compiled call: what it is fed, what is made of it. */
export interface Pass {
  feed: number[];
  features?: Float32Array;
  entry?: Entry;
  head?: Head;
  keep?: number;
  until?: number;
  taps?: number[];
  draws?: Draws;
}

export type ShortBlockReason = Fields.Round["fewer"];

/** A drafted block: ids, and what each was drawn from; none when greedy. */
export interface Block {
  ids: number[];
  q: Float32Array[] | null;
  tensor: Tensor | null;
  shortBlockReason: ShortBlockReason;
}

/** One run of a drafter (specviz/engine/draft/base.py). */
export interface DraftSession {
  length: number | null;
  forwards: number;
  prefill(tokens: number[]): void;
  propose(tokens: number[], k: number, u: number[] | null): Block;
  observe(tokens: number[]): void;
}

export type ModelInfo = EngineRecord<Fields.ModelInfo, never, "note" | "window" | "state_layers" | "size" | "arithmetic">;

export interface Drafter {
  kind: string;
  info: ModelInfo;
  begin(context: import("./draft.js").DraftContext): DraftSession;
}

/** A drafter that has no weights, for a target. `which`: what stands behind the colon of its name. */
export type DrafterFactory = (target: import("./model.js").Llama, which: string) => Drafter;

/** What became of a drafted block (specviz/engine/verify.py). */
export interface VerifyResult {
  ids: number[];
  accepted: number;
  last: number;
  px: number[];
  qx: number[];
  u: number[] | null;
  best: number[] | null;
  p: Float32Array[] | null;
  q: Float32Array[] | null;
  after: Float32Array | null;
}

export type Times = EngineRecord<Fields.Times, "draft" | "verify" | "decide", "replay">;

export type Cache = EngineRecord<Fields.Cache, never, "replayed" | "window">;
export type Position = EngineRecord<Fields.Position, never, "logits_entropy" | "softmax">;
type WithPosition = { position: Position | null };
export type Drafted = EngineRecord<Fields.Drafted, "p" | "q" | "ratio", "parent" | "depth" | "rank" | "void", WithPosition>;
export type Emitted = EngineRecord<Fields.Emitted, never, "forced", WithPosition>;

/** The events of a run. */
export type Prefill = EngineRecord<Fields.Prefill, "target_ms" | "draft_ms" | "target_positions">;
export type Round = EngineRecord<
  Fields.Round,
  "draft_forwards" | "asked",
  never,
  { drafted: Drafted[]; emitted: Emitted[]; times: Times; target_cache: Cache; draft_cache: Cache | null }
>;

export type Reason = Fields.Finished["reason"];

export type Finished = EngineRecord<Fields.Finished, "prefill_ms" | "draft_forwards">;
export type Event = Prefill | Round | Finished;
export type Lanes = Record<LaneName, Event[]>;

/** A finished race: the header's fields (specviz/trace/events.py), and the events of both lanes. */
export type Trace = Lanes & { header: Record<string, unknown> };

/** What runs: a target, what drafts for it or nothing, and the tokenizer of both. */
export type Setup = { target: import("./model.js").Llama; drafter: Drafter | null; text: import("./text.js").Text };

/** What a run costs here, measured before it begins. `pass`: ms of the target over one token. `token`: ms of a token in both
 * lanes together. In passes: `c`, a step of the draft, and `v`, a pass over the longest `block` and the token before it; null
 * where nothing was drafted. `busy`: other programs held the processor meanwhile. `step`: of a coarse clock, in ms, else 0. */
export interface Costs {
  pass: number;
  token: number;
  block: number;
  c: number | null;
  v: number | null;
  busy: boolean;
  step: number;
}

/** How far a race is. */
export type Progress = { lane: LaneName; tokens: number; of: number; again: number; event: Event | null };

/** What a page asks of the worker. `draft`: as `--draft` names it, `drafts`: these by their keys on the page;
 * `browser`: for the trace; `further`: what goes on after a text. */
export type Work =
  | { type: "run"; target: string; draft: string | null; prompt: string; config: Config; browser: string }
  | { type: "luck"; target: string; drafts: Drafts; prompt: string; settings: Setting[]; seeds: number }
  | { type: "sweep"; target: string; drafts: Drafts; prompt: string; config: Config; grid: SweepGrid }
  | { type: "cut"; target: string; text: string; further: boolean }
  | { type: "score"; target: string; drafts: Drafts; text: number[]; guesses: number[][]; config: Config };
export type WorkerRequest = Work | { type: "stop" };
export type Drafts = Record<string, string>;

/** A drafter by its key, and how it is run. */
export type Setting = { drafter: string; config: Config };

export type SweepGrid = { ks: number[]; turns: number };

/** What the worker sends: how far a file, a run or an experiment is, and at the end its result or an error in a sentence. */
export type WorkerMessage =
  | { type: "fetched"; path: string; bytes: number; of: number }
  | { type: "costs"; costs: Costs }
  | { type: "progress"; progress: Progress }
  | { type: "step"; done: number; of: number; result: unknown }
  | { type: "result"; result: unknown }
  | { type: "error"; message: string };
