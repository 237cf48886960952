// Shapes of Learn, for the checker of types: what the tab is mounted with, its one state, and what a chapter's picture is
// drawn from (specviz/page/learn/chapter.py).

import type { Room } from "../poll/types.js";
import type { Slow } from "../shared/causes.js";
import type { Weights } from "../shared/hardware.js";
import type {
  Chances,
  Drafted,
  GameServer,
  GameWords,
  Mount,
  ObservedDraft,
  Position,
  Role,
  Round,
  TextSpan,
  Token,
} from "../shared/types.js";
import type { makePlayer } from "./chapter.js";
import type { makePasses } from "./tab.js";

export type { Room, Votes } from "../poll/types.js";

export interface Lesson {
  chapters: Chapter[];
  sources: Record<string, string>;
  path: Stop[];
  /** after the last chapter (specviz/page/learn/lesson.py) */
  ending: {
    able: string[];
    questions: Question[];
    links: [word: string, href: string][];
    words: Record<string, string>;
  };
  game: GameWords;
  page: Record<string, string>;
}

/** A stop of the lesson of fifty minutes. `chapter`: from 0, null for the room; `from`, `until`: minutes. */
export type Stop = { chapter: number | null; from: number; until: number; what: string };

export interface Chapter {
  key: string;
  short: string;
  title: string;
  text: string[];
  more: string[];
  question: Question | Estimate;
  go: string;
  notes: string[];
  sources: string[];
  exercise: Exercise;
}

/** What a class does with a chapter: the task, its key, and what everybody should be able to do then. */
export type Exercise = Record<"task" | "key" | "able", string[]>;

export type Question = { ask: string; choices: string[]; right: number; why: string };

/** A number that is said before it is measured: of a pass over `tokens` tokens. */
export type Estimate = { ask: string; tokens: number; why: string };

// ---- the tab ----

/** What gradio gives the tab, and what the tab asks of Python. */
export interface LearnMount extends Mount<{ lesson: Lesson; measures: boolean }> {
  server: Record<string, (request: string | object) => Promise<string>>;
  drafting?: GameServer;
  measure(): void;
  tryIt(chapter: number): void;
}

/** What gradio gives the door: the lesson comes with all else. `alone`: in an app of somebody else's. */
export interface DoorMount extends Mount<{ opening: string; lost: string; measures: boolean; alone?: boolean }> {
  server: LearnMount["server"];
}

/** A sentence of the lesson and what fills it in. */
export type Sentence = [template: string, values?: Record<string, unknown>];

/** A moment of a picture, with the sentence that says what is seen then. */
export type Beat = { at: number; readonly sentence: Sentence };

/** `paint` brings what is drawn to time t, in beat i, from any other; `anew`: also where it stands there, after a visitor moved
 * something. `tail`: how long the last beat is. `waits`: it begins with what somebody does, and plays when it is asked to. */
export interface Picture {
  node: HTMLElement;
  beats: Beat[];
  tail: number;
  waits?: boolean;
  paint(t: number, i: number, anew: boolean): void;
}

/** A part of a picture that is shown a beat at a time, without `show` always whole. `t`: milliseconds since its first beat. */
export type View = { node: HTMLElement; sentences: Sentence[]; show?(i: number, anew: boolean, t: number): void };

export type Player = ReturnType<typeof makePlayer>;

/** What passes over n tokens took, or why that could not be measured. */
export type Measurement = { error: string } | PassTimes | LocalPassTimes;

/** Measured here, so the weights that each pass read are known. */
export type LocalPassTimes = PassTimes & { parameters: number; bytes: number };

/** Passes over blocks, measured here or recorded elsewhere. */
export type Passes = ReturnType<typeof makePasses>;

/** What a picture is shown on: its player, once it has one. */
export type Stage = { player: Player | null; passes: Passes; room: Room; drafting: GameServer | null };

/** The tab: all that is shown of it is drawn from this. */
export interface Tab {
  root: HTMLElement;
  excerpts: Excerpts | null;
  chapter: number;
  /** the lesson's path is followed */
  lesson: boolean;
  visible: boolean;
  answers: Map<number, number>;
  stage: Stage;
}

/** What a visitor can do in the tab, by hand or by key. */
export interface Actions {
  openChapter(n: number): void;
  turnTo(n: number): void;
  /** to what is beside it: a chapter, or in a lesson a stop */
  turnBy(way: 1 | -1): void;
  openRoom(): void;
  followLesson(on: boolean): void;
  setProjector(on: boolean): void;
  toggleNotes(): void;
  print(what: "teachers_pack" | "students_sheet"): Promise<void>;
  /** after the last chapter */
  openEnding(): void;
  tryIt(): void;
}

/** A token of a text that is only shown. */
export type TextToken = { text: string; role: Role | "prompt" };

/** `bytes`: of all its weights. */
export type ModelWeights = { name: string; bytes: number };

export type Pair = { target: ModelWeights; draft: ModelWeights; device: string; temperature: number };

/** α, c and v as measured in a run, null where the run does not hold them. */
export interface Costs extends Record<"alpha" | "c" | "v" | "tokens_per_round" | "predicted" | "speedup", number | null> {
  K: number;
  one_ms: number;
}

/** What passes over n tokens took somewhere, in milliseconds. */
export type PassTimes = { error?: undefined; ms: Record<number, number>; target: string; device: string };

/** A round, the text before it, and its run's costs. */
export interface Scene<Draft extends ObservedDraft = ObservedDraft> extends Pair, Costs {
  run: string;
  before: TextToken[];
  round: Omit<RoundExcerpt, "drafted"> & { drafted: Draft[] };
}

type RoundExcerpt = Omit<Round, "drafted" | "times"> & {
  drafted: ObservedDraft[];
  times: { [part in keyof Round["times"]]: number };
};

/** A drafted token at a position where q is known: such are the rounds of the chapter on drafting. */
export interface KnownDraft extends ObservedDraft {
  position: Omit<Position, "entries"> & { entries: { token: Token; p: number; q: number }[] };
}

/** One that was tested with a coin: such are, up to the rejected one, the rounds of the chapter on accepting. */
export type TestedDraft = KnownDraft & { ratio: number; u: number };

/** By chapter, each in the shape that its picture names; null where no recorded run shows it. */
export type Excerpts = { [key: string]: object | null; alone: Pair & { recorded: PassTimes[] }; speed: Pair & Costs };

// ---- chapters/accept.py ----

/** `betas`: of every position that the run tested. */
export type AcceptExcerpt = Scene & { betas: number[] };

// ---- chapters/alone.py ----

export type Alone = Pair & { before: TextToken[]; tokens: TextToken[]; recorded: PassTimes[] };

// ---- chapters/busy.py ----

/** What drafting gains where many texts are decoded at once, as one machine measured it. */
export interface Batches {
  device: string;
  target: string;
  draft: string;
  context: number;
  batches: number[];
  rows: { alpha: number; best: { K: number; speedup: number }[] }[];
  spoken: number;
  block: number;
  v: number[];
  alone: number[];
}

/**
 * How many experts of a layer a block reads (scripts/picture_data.py). `blocks`: by its length `n`: `union` on average, `low` and
 * `high` the quartiles, `apart` for tokens of random places, `formula` of tokens that choose at random, `v` by the bytes that
 * a pass reads. `block`: of one recorded block the experts of each token, by layer.
 */
export interface Experts {
  model: string;
  experts: number;
  chosen: number;
  texts: number;
  tokens: number;
  blocks: Record<"n" | "union" | "low" | "high" | "apart" | "formula" | "v", number>[];
  block: { tokens: string[]; chosen: number[][][] };
  /** a published mixture, for the formula */
  large: Weights;
}

export type Busy = { measured: Batches[]; experts: Experts | null; slow: Slow };

// ---- chapters/draft.py ----

export type DraftExcerpt = Scene<KnownDraft> & { answer: Answer };

/** A run's rounds with what its tokens are shaded by, and no more. */
export interface Answer extends Pair {
  asked: string;
  rounds: (Pick<Round, "emitted"> & { drafted: Drafted[]; shown: TextSpan[] })[];
}

// ---- chapters/engines.py ----

/** A recorded position by its largest tokens; `equal`: draft and target prefer the same one. */
export type Place = { entries: { token: Token; p: number; q: number }[]; chances: Chances; equal: boolean };

/** `means`: over all `positions` that the run tested. */
export interface Engines extends Pair {
  recorded: { places: Place[]; means: Chances; positions: number } | null;
  engines: EngineOfOthers[];
  inexact: Inexact[];
  masked: GrammarComparison | null;
}

/** Sums over runs. */
export type GrammarCounts = Record<"rounds" | "tokens" | "drafted" | "tested" | "accepted" | "void" | "forced", number>;

/** The same question with a grammar and without, by so many `seeds` each; `forced_first`: what it forces is drafted without
 * a pass (scripts/picture_data.py). */
export interface GrammarComparison {
  target: string;
  draft: string;
  K: number;
  temperature: number;
  seeds: number;
  with: GrammarCounts;
  without: GrammarCounts;
  forced_first: GrammarCounts;
}

/** How an engine drafts and tests by default, the chance that gives, what else can be set, what turns drafting on, and
 * how all is `known`. */
export type EngineOfOthers = Record<
  "name" | "known" | "default" | "chance" | "options" | "inexact" | "switch" | "source",
  string
>;

/** How far a rule that is not exact is from the target's distribution: on average and at worst, by how tokens are drafted. */
export type Inexact = { name: string; who: string; sample: [number, number]; argmax: [number, number] };

// ---- chapters/residual.py ----

/** A position by its largest tokens and one entry for all others; its token was rejected in `round`, which goes on from
 * the token `before`. */
export type Distribution = { entries: Part[]; beta: number; round: Round; before: string };

/** `shared` and `excess` add up to p. */
export type Part = { token: Token | null; p: number; q: number; shared: number; excess: number };

// ---- chapters/rounds.py ----

/** What each cache holds of a token after its round. */
export type CachedToken = TextToken & { target: "held" | "back" | "none"; draft: "held" | "back" | "none" };

export interface Rounds extends Pair {
  K: number;
  rounds: CachedToken[][];
  drawn: Round[];
  before: string[];
  state: State | null;
  /** before the picture of the state */
  ask: Question;
}

/** A target with layers that keep a state: a round that rejects, and one that keeps all; `cost` null where times are withheld. */
export type State = Pair & { layers: number; states: number; drawn: Round[]; before: string[]; cost: StateCost | null };

/** In target passes over one token; `again`: by how many tokens were read again. Of the speedups `cut` is calculated. */
export interface StateCost {
  copy: number;
  rejected: number;
  again: { n: number; passes: number; rounds: number }[];
  speedup: number;
  cut: number;
}

// ---- chapters/speed.py ----

/** `stayed`: the share of the `whole` rounds in which the first i drafts stayed, by i from 1; `given`: tokens a round of all. */
export type Speed = Pair & Costs & { stayed: number[]; whole: number; given: number | null; by_k: ByK };

/** At one K: `accepted`: of the tokens tested at each position, the share that was accepted; `after`: of rounds, the share after
 * a rejection; `rejected`, `whole`: how many first tokens are accepted there, and after a whole block. */
export type AtK = { K: number; rounds: number; accepted: number[]; after: number; rejected: number; whole: number };

export type ByK = { target: string; draft: string; temperature: number; prompts: number; seeds: number; rows: AtK[] };

// ---- chapters/ways.py ----

export type Ways = { c: Record<"poor-draft" | "lookup", number | null>; ways: Way[]; shapes: Shapes | null };

/**
 * `share`: by depth and rank, how often a guess was kept where its siblings were tested. `c`: of a draft pass, `v`: of a
 * pass over 1, 2, … tokens, both in target passes over one.
 */
export interface Shapes {
  share: number[][];
  draft: string;
  machines: { device: string; c: number; v: number[] }[];
  /** of so many positions, the one where a tree gains most over a chain, and the one where a chain does */
  of: number;
  positions: (Record<"chain" | "tree", Guess[]> & { last: string })[];
}

/** What a draft guesses after guess `parent`, −1 the text; `p` and `q`: how likely it is there by the target and by the draft. */
export type Guess = { text: string; parent: number; p: number; q: number };

/** A way to draft; `stack` says which layers are at work, `says` its name and its drafter's sentence. */
export type Way = Record<"name" | "says" | "reads" | "cost" | "published" | "source", string> & { stack: Stack };

export type Stack = "beside" | "first" | "heads" | "feature" | "text" | "table";

// ---- chapters/whole.py ----

export type Whole = { K: number; length: number };
