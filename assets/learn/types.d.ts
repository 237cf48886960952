// Shapes of the tab Learn, for the checker of types: the lesson (specviz/page/learn/lessons.py and words.py), what its
// pictures are drawn from (excerpts.py, busy.py), and a few of ours.

import type { Clock, Drafted, Model, Mount, Position, Role, Round, Token } from "../shared/types.js";

export interface Lesson {
  chapters: Chapter[];
  sources: Record<string, string>;
  ways: Way[];
  page: Record<string, string>;
}

export interface Chapter {
  key: keyof Excerpts;
  short: string;
  title: string;
  text: string[];
  question: Question;
  go: string;
  notes: string[];
  sources: string[];
}

export interface Question {
  ask: string;
  choices: string[];
  right: number;
  why: string;
}

/** A way to draft; `stack` says which layers are at work. */
export interface Way {
  name: string;
  stack: Stack;
  reads: string;
  cost: string;
  published: string;
  source: string;
}

export type Stack = "beside" | "first" | "heads" | "feature" | "text" | "table";

// ---- what the pictures are drawn from ----

/** A token of a text that is only shown. */
export interface Written {
  text: string;
  role: Role | "prompt";
}

export interface Pair {
  target: Model;
  draft: Model;
  device: string;
  temperature: number;
}

/** α, c and v as measured in a run, null where the run does not hold them. */
export interface Costs {
  alpha: number | null;
  K: number;
  c: number | null;
  v: number | null;
  tokens_per_round: number | null;
  predicted: number | null;
  speedup: number | null;
  one_ms: number;
}

export interface Alone extends Pair {
  before: Written[];
  tokens: Written[];
  one_ms: number;
}

/** A round, the text before it, and its run's costs. */
export interface Scene<Draft extends Drafted = Drafted> extends Pair, Costs {
  run: string;
  before: Written[];
  round: Omit<Cut, "drafted"> & { drafted: Draft[] };
}

type Times = "start" | "drafted_at" | "verified_at" | "decided_at" | "end" | "times";
type Cut = Pick<Round, "index" | "drafted" | "emitted" | "residual" | "shown" | Times>;

/** A drafted token at a position where q is known: such are the rounds of the chapter on drafting. */
export interface Known extends Drafted {
  position: Omit<Position, "entries"> & { entries: { token: Token; p: number; q: number }[] };
}

/** One that was tested with a coin: such are, up to the rejected one, the rounds of the chapter on accepting. */
export interface Tested extends Known {
  ratio: number;
  u: number;
}

/** A position by its largest tokens and one entry for all others. */
export interface Law {
  entries: Part[];
  beta: number;
}

/** `shared` and `excess` add up to p. */
export interface Part {
  token: Token | null;
  p: number;
  q: number;
  shared: number;
  excess: number;
}

export interface Rounds extends Pair {
  K: number;
  rounds: Written[][];
}

/** What drafting gains where many texts are decoded at once, as one machine measured it. */
export interface Busy {
  device: string;
  target: string;
  draft: string;
  context: number;
  batches: number[];
  rows: { alpha: number; best: { K: number; speedup: number }[] }[];
  spoken: number;
  block: number;
  v: number[];
}

export interface Others {
  c: Record<"poor-draft" | "lookup", number | null>;
  busy: Busy[];
}

/** By chapter; null where no recorded run shows it. */
export interface Excerpts {
  alone: Alone;
  guess: Scene | null;
  draft: Scene<Known> | null;
  verify: Scene | null;
  accept: Scene | null;
  residual: Law[];
  rounds: Rounds;
  speed: Pair & Costs;
  others: Others;
}

// ---- the tab ----

/** What gradio gives the tab, and what the tab asks of Python. */
export interface LearnMount extends Mount<{ lesson: Lesson; measures: boolean }> {
  server: { recorded_rounds(asked: string): Promise<string> };
  measure(): void;
  tryIt(chapter: number): void;
}

/** A sentence of the lesson and what fills it in. */
export type Say = [sentence: string, values?: Record<string, unknown>];

/** A moment of a picture, with the sentence that says what is seen then. */
export interface Beat {
  at: number;
  readonly say: Say;
}

/** `paint` brings what is drawn to time t, in beat i, from any other; `tail`: how long the last beat is. */
export interface Picture {
  node: HTMLElement;
  beats: Beat[];
  tail: number;
  paint(t: number, i: number): void;
}

/** A part of a picture that is shown a beat at a time. */
export interface View {
  node: HTMLElement;
  says: Say[];
  show(i: number): void;
}

export interface Player {
  root: HTMLElement;
  clock: Clock;
  step(way: 1 | -1): void;
}

/** What passes over n tokens took on this machine. */
export type Measured =
  | { error: string }
  | { error?: undefined; ms: Record<number, number>; target: string; device: string };

/** Passes over blocks, measured when they are asked for. */
export interface Passes {
  found(): Measured | null;
  measure: (() => void) | null;
  changed(): void;
}

/** What a picture is shown on: its player, once it has one. */
export interface Stage {
  player: Player | null;
  passes: Passes;
}

/** The tab: all that is shown of it is drawn from this. */
export interface Tab {
  root: HTMLElement;
  excerpts: Excerpts | null;
  chapter: number;
  seen: boolean;
  answers: Map<number, number>;
  stage: Stage;
}

/** What a visitor can do in the tab, by hand or by key. */
export interface Actions {
  open(n: number): void;
  turn(n: number): void;
  project(on: boolean): void;
  notes(): void;
  tryIt(): void;
}
