// What the scripts pass around, for their checker: the picture of a run as assets/picture/view.js makes it, and a few
// shapes of ours. Times are in milliseconds on the lane's own decode clock.

import type { account } from "../picture/account.js";
import type { comparisonOf, laneNumbers } from "../picture/numbers.js";
import type { byPosition } from "../picture/positions.js";
import type * as Fields from "../trace/fields.js";
import type { Cache, Choice, Token } from "../trace/fields.js";
import type { LaneName } from "../trace/types.js";

export type { Cache, Choice, LaneName, Token };
export type Verdict = Fields.Drafted["verdict"];
export type Role = "drafted" | Verdict | Fields.Emitted["role"];
export type Phase = "draft" | "verify" | "decide" | "emit";

export type PromptToken = Token & { shown: string; kind: string };

export interface Entry extends Fields.Entry {
  /** of the draft's own softmax, where its largest was drafted */
  s?: number | null;
}

export interface Position extends Omit<Fields.Position, "entries" | "own" | "product" | "best" | "logits_entropy"> {
  entries: Entry[];
  logits_entropy?: number | null;
  chances?: Chances | null;
  own?: { entries: number[]; rest: number } | null;
  /** sentences under the bars, and the numbers in each */
  told: [string, Record<string, number | null>][];
}

/** The chance to keep a draft token, by rule (assets/picture/chances.js). */
export type Chances = Record<"rejection" | "match" | "argmax", number>;

/** Fields that have a default may be missing. */
export interface Drafted
  extends Omit<Fields.Drafted, "position" | "joint" | "chance" | "parent" | "depth" | "rank" | "void"> {
  position: Position | null;
  joint?: number | null;
  chance?: number | null;
  /** the run's grammar forbids it */
  void?: boolean;
  /** of a tree: which token it follows, −1 the text; how deep it is, from 1; its place among siblings, from 0 */
  parent?: number;
  depth?: number;
  rank?: number;
  /** of a tree: when it was drafted and when its verdict fell, since not all of its tokens stand in the text */
  at?: number;
  decided?: number;
}

/** As our own engine tells it, which the rounds of Learn are from: nothing is left out. */
export type ObservedDraft = Drafted & { p: number; q: number };

export interface Emitted extends Omit<Fields.Emitted, "piece" | "position" | "forced"> {
  position: Position | null;
  /** the run's grammar allows no other token there */
  forced?: boolean;
}

export type Residual = { entries: { token: Token; p: number }[]; rest: number; mass: number };

/** One span of a lane's text; `drafted` and `emitted` point into its round. */
export interface TextSpan {
  role: Role;
  text: string;
  kind: string;
  drafted: number | null;
  emitted: number | null;
  at: number;
  decided: number;
}

export interface Round extends Omit<Fields.Round, "event" | "drafted" | "emitted" | "residual" | "times" | "choice"> {
  start: number;
  drafted_at: number;
  verified_at: number;
  decided_at: number;
  end: number;
  drafted: Drafted[];
  emitted: Emitted[];
  residual: Residual | null;
  choice?: Choice | null;
  times: Omit<Fields.Times, "replay"> & { replay?: number };
  shown: TextSpan[];
}

export type Numbers = ReturnType<typeof laneNumbers>;

export type Part = "draft" | "verify" | "decide" | "rest";

export interface Lane {
  name: LaneName;
  prompt: PromptToken[];
  rounds: Round[];
  duration: number;
  stopped: { reason: string; detail: string } | null;
  numbers: Numbers;
}

export type Model = Pick<Fields.ModelInfo, "name" | "context" | "parameters" | "dtype" | "state_layers">;

type Later = "tree" | "children" | "nodes" | "grammar";
/** What a trace may leave out, as the browser's engine does. */
export type Config = Omit<Fields.DecodeConfig, Later | "verifier"> &
  Partial<Pick<Fields.DecodeConfig, Later>> & { verifier: string; greedy: boolean; exact: boolean };

export interface Header extends Pick<Fields.Header, "prompt" | "created" | "engine" | "engine_version" | "departures"> {
  chat?: boolean | null;
  config: Config;
  target: Model;
  draft: (Model & { kind: string; most: number; fewer: boolean }) | null;
  machine: Pick<Fields.Machine, "device" | "threads" | "torch"> & { note?: string };
  left_out: string[];
}

/** The two lanes side by side (assets/picture/numbers.js). */
export type Comparison = NonNullable<ReturnType<typeof comparisonOf>>;

/** Where the speed came from, or what is missing to say so (assets/picture/account.js). */
export type Account = ReturnType<typeof account>;
/** Of a run of trees. */
export type TreeAccount = Extract<Account, { best_tree: object }>;

export interface Picture {
  header: Header;
  lanes: Record<LaneName, Lane | null>;
  comparison: Comparison | null;
  account: Account;
  rules?: (Chances & RuleThatRan) | null;
}

/** Which rule decided a run, whether it is exact, and which would have kept most. */
export interface RuleThatRan {
  ran: string;
  exact: boolean;
  positions: number;
  accepted: number | null;
  most: keyof Chances | null;
}

/** Acceptance at one position of the block (assets/picture/positions.js). */
export type AtPosition = ReturnType<typeof byPosition>[number];

/** How many times slower than measured, or from moment to moment. */
export type Slow = number | "step";

/** Where a clock stops: `moments` are the ends of rounds, `steps` all that a round does; at `halts` it does not go on by itself. */
export type Stops = { moments: number[]; steps: number[]; halts: number[] };

/** `stepping`: where it stands was stepped to, or came in a replay that goes step by step. */
export interface Clock {
  t: number;
  duration: number;
  slow: Slow;
  playing: boolean;
  stepping: boolean;
  stops: Stops;
  play(): void;
  pause(): void;
  toggle(): void;
  seek(t: number): void;
  /** Rest at a step. */
  stopAt(t: number): void;
  /** To the next end of a round, or to the one before; `fine`: of what a round does. */
  step(way: 1 | -1, fine?: boolean): void;
}

/** What gradio gives a component of the page: its element, what Python last sent it, and a call when that changes. */
export interface Mount<Props extends object = object> {
  element: HTMLElement;
  props: Props & { value: string };
  watch(name: string, changed: () => void): void;
}

export type Child = string | Node | null | undefined | Child[];

type Tag<Name extends string> = Name extends `${infer Before}.${string}` ? Before : Name;

/** "input.sv-scrub" is an HTMLInputElement. */
export type ElementOf<Name extends string> =
  Tag<Name> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag<Name>] : HTMLElement;

/** A term of the glossary (specviz/words/glossary.toml): how it is called, how it stands in a sentence, what it means; `group`: with
 * the first term of one. */
export type Term = { name: string; forms?: string[]; says: string; group?: string };

/** What a trace does not say of itself (specviz/picture/replay.py): how each family of drafters is drawn, which drafters
 * draft at once, the largest K, which rules are exact. */
export interface About {
  families: Record<string, string>;
  one_pass: string[];
  most: number;
  rules: Record<string, { exact: boolean }>;
}

/** What every page's script is given before anything is drawn. */
export interface Vocabulary {
  words: Record<string, string>;
  roles: Record<string, { glyph: string; word: string }>;
  terms?: Term[];
  about?: About;
}
