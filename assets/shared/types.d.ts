// What the scripts pass around, for their checker: the picture of a run as assets/player/picture.js makes it, and a few
// shapes of ours. Times are in milliseconds on the lane's own decode clock.

import type { account, byPosition, comparisonOf, laneNumbers } from "../player/account.js";
import type { inspection, makePredict } from "../player/inspector.js";
import type { emptyLane } from "../player/lane.js";
import type { makeNode, makeRound } from "../player/round.js";
import type { drawScreen, makeBar, makeSteps } from "../player/screen.js";
import type { storyOf } from "../story/story.js";
import type * as Fields from "../trace/fields.js";
import type { Cache, Choice, Token } from "../trace/fields.js";
import type { LaneName } from "../trace/types.js";
import type { GameKey } from "./keys.js";

export type { Cache, Choice, LaneName, Token };
export type Verdict = Fields.Drafted["verdict"];
export type Role = "drafted" | Verdict | Fields.Emitted["role"];
export type Phase = "draft" | "verify" | "decide" | "emit";

export type PromptToken = Token & { shown: string; kind: string };

export interface Entry extends Fields.Entry {
  /** of the draft's own softmax, where its largest was drafted */
  s?: number | null;
}

export interface Position extends Omit<Fields.Position, "entries" | "own" | "product" | "best" | "logits_entropy" | "softmax"> {
  entries: Entry[];
  logits_entropy?: number | null;
  softmax?: Fields.Softmax | null;
  chances?: Chances | null;
  own?: { entries: number[]; rest: number } | null;
  /** sentences under the bars, and the numbers in each */
  told: [string, Record<string, number | null>][];
}

/** The chance to keep a draft token, by rule (assets/player/picture.js). */
export type Chances = Record<"rejection" | "match" | "argmax", number>;

/** Fields that have a default may be missing. */
export interface Drafted extends Omit<Fields.Drafted, "position" | "joint" | "chance" | "parent" | "depth" | "rank" | "void"> {
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

export type Model = Pick<Fields.ModelInfo, "name" | "context" | "parameters" | "dtype" | "state_layers" | "note">;

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

/** The two lanes side by side (assets/player/account.js). */
export type Comparison = NonNullable<ReturnType<typeof comparisonOf>>;

/** Where the speed came from, or what is missing to say so (assets/player/account.js). */
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

/** Acceptance at one position of the block (assets/player/account.js). */
export type AtPosition = ReturnType<typeof byPosition>[number];

/** How many times slower than measured, or from moment to moment. */
export type Slow = number | "step";

/** Where a clock stops: `moments` are the ends of rounds, `steps` all that a round does; at `halts` it goes on by hand. */
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

/** A term of the glossary (specviz/words/glossary.toml): how it is called, how it stands in a sentence, what it means;
 * `group`: with the first term of one. */
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

/** Names a token: one of the prompt, or one of a round, by its places in the round's lists. */
export interface TokenRef {
  lane: LaneName;
  prompt?: number;
  round?: number;
  drafted: number | null;
  emitted: number | null;
}

/** How a token looks while the replay goes on; "" is: not there yet. */
export type Look = Role | "verified" | "";

/** Something that happens to the token at one place of a lane's text. */
export type Change = { at: number; token: number; from: Look; to: Look };

export type LaneSchedule = { changes: Change[]; tokensAt: number[]; passesAt: [number, number][] };

/**
 * `at`: its place in the lane. `lost`: it did not stay in the text. `labelValues`: what its label says beside its role;
 * null for a token of the prompt.
 */
export type TokenSpan = HTMLSpanElement & {
  at: number;
  lost: boolean;
  ref: TokenRef;
  labelValues: { text: string; round: number } | null;
};

export type Places = { long: boolean; rows: number; line: number; tops: number[]; scrollTop?: number };

/** One lane on the screen. */
export type LaneView = ReturnType<typeof emptyLane>;

/**
 * Where a replay stands: how many tokens of its round are drafted and how many decided, which was decided `last`, and
 * which is `next`: its verdict is on its way. `over`: only the other lane goes on.
 */
export interface ReplayStep {
  round: Round;
  phase: Phase;
  drafted: number;
  decided: number;
  last: number | null;
  next: number | null;
  over: boolean;
}

/**
 * How much of a token has happened: nothing, it was drafted (q is known), checked (p too), decided, and all of its
 * round is out.
 */
export type RevealStage = "" | "drafted" | "checked" | "decided" | "out";

export type Bar = ReturnType<typeof makeBar>;
export type Steps = ReturnType<typeof makeSteps>;

export type Guess = "accept" | "reject";

export type Predict = ReturnType<typeof makePredict>;

/** A round of a lane. */
export type LaneRound = { lane: LaneName; round: Round };

export interface TimelineView {
  /** Another run. */
  draw(lanes: Picture["lanes"]): void;
  move(t: number): void;
  /** One round, or none. */
  mark(round: LaneRound | null): void;
}

/** What the timeline tells of: a round is pointed at, none is any more, one was chosen. */
export interface TimelineEvents {
  hover(lane: LaneName, round: number): void;
  leave(): void;
  choose(lane: LaneName, round: number): void;
}

/** All that a picture is drawn with. */
export type Screen = ReturnType<typeof drawScreen>;

/**
 * What is shown: all that is drawn is drawn from this. `lane`: the one that is stepped through; `revealStage`: how
 * much of the chosen token is drawn; `lastStop`: where the replay last stood still, none while it runs.
 */
export interface State {
  picture: Picture;
  clock: Clock;
  lane: Lane | null;
  selection: TokenRef | null;
  revealStage: RevealStage;
  lastStop: ReplayStep | null;
  guesses: Map<string, Guess | null>;
  over: boolean;
}

/** A lane of a run that goes on: its spans from token number `from` on, and how many of them are drawn. */
export type LiveLane = { root: HTMLElement; text: HTMLElement; spanCount: number };
export type LiveTokens = Record<string, { from: number; spans: [Role | "prompt", string][] }>;

/** The component: its places on the page and, once there is a picture, what is shown of it. `slow`: the speed that somebody
 * chose; `fit`: makes the lanes as high as the screen has room; `hiding`: what did not stay is out of the text; `struck`:
 * at the end it is not; `asking`: verdicts are hidden until somebody has said what they will be; `inspecting`: a token was
 * chosen, and what decided it is drawn, by `inspection`, whose script may still be on its way. */
export interface Race {
  root: HTMLElement;
  stage: HTMLElement;
  detail: HTMLElement;
  timeline: TimelineView;
  hiding: boolean;
  struck: boolean;
  asking: boolean;
  fit: () => void;
  inspecting: boolean;
  inspection: Inspection | null;
  fetchInspection: () => Promise<Inspection>;
  inspectionRequest: Promise<void> | null;
  slow: Slow | null;
  live: { lanes: Record<string, LiveLane>; before: Node[] } | null;
  state: State | null;
  screen: Screen | null;
}

/** What a chosen token is explained with: a page may be sent it later than the race. */
export type Inspection = typeof inspection;

/** What a race tells the page around it: it opens with this run; a run is drawn; another run is asked for. */
export interface RaceEvents {
  open: (race: Race, picture: Picture) => void;
  draw: (race: Race, picture: Picture) => void;
  request: (race: Race) => void;
}

/** A place in columns and rows; `wide` of a column is its box. Where two stand abreast, x is not their depth. */
export type Spot = { x: number; y: number; depth: number; wide: number };

export type Layout = { spots: Spot[]; order: number[]; rows: number; columns: number; extra: Spot | null };

/** How a token looks; "" is: not there yet, "lit": the target's pass reads it. */
export type NodeLook = Role | "prompt" | "lit" | "";

export interface Moment {
  phase: Phase;
  looks: NodeLook[];
  falls: (number | null)[];
  /** p is known */
  checked: boolean;
  extra: NodeLook;
}

/** What the picture is drawn by; `asking`: verdicts are asked for, so nothing may tell one. */
export type RoundConfig = { greedy: boolean; verifier: string; theta: number };

/** The text before a round: its last token, which the pass reads too, and all that the target has read. */
export type Before = { last: Token | null; read: Token[] };

/** Positions of a pass: 0 is the last token of the text, i + 1 drafted token i, −1 what came out. */
export type RoundView = ReturnType<typeof makeRound>;

/** One position as it is drawn. */
export type NodeView = ReturnType<typeof makeNode>;

/** A round as it is drawn: `views` are its positions as an outline is read. */
export type RoundNodes = { round: Round; nodes: NodeView[]; extra: NodeView | null; views: NodeView[] };

/** From `at` on a sentence is said, by its name in the words; `who` of the two models is at work. */
export type Scene = { at: number; key: string; who?: "small" | "large" | "both" };

/** A token of the round: when it flies in, and when its verdict falls. */
export type Word = { token: TextSpan; at: number; decided: number };

export type Story = NonNullable<ReturnType<typeof storyOf>>;

/** Of a guess: whole, with a word from the same look or at the text's end; its beginning; nothing of it. */
export type Outcome = "kept" | "kept_last" | "part" | "struck";

/** How likely the target found a token; whether it is the guess. */
export type Chance = { token: Token; p: number; own: boolean };

/** Words of the game (specviz/words/classroom.toml). */
export type GameWords = Record<GameKey, string> & { texts: string[] };

/** Who answers, each with a text of JSON. On a page without a server: `note`, what is fetched first; `hear`, how far that is. */
export interface GameServer {
  begin(text: object): Promise<string>;
  score(guess: object): Promise<string>;
  note?: () => string;
  hear?: (act: (sentence: string) => void) => void;
}

export type Game = { root: HTMLElement; focus(): void };

export type MakeGame = (words: GameWords, server: GameServer) => Game;

/** The game, once its script is there. */
export type LoadGame = () => Promise<Game>;
