// Shapes of the Lab, for the checker of types: what its frame gives a panel (PanelContext), and what a panel gives back
// (PanelView); then those of the panels: people as the draft, Luck, Sweep, Break it.

import type { OpenRoom as Room } from "../poll/types.js";
import type { PanelKey } from "../shared/keys.js";
import type { Child, Mount, Token } from "../shared/types.js";
import type { FormulaError } from "./mistakes/own.js";

/** What Python says of a panel (specviz/page/lab/panel.py). */
export interface PanelWords {
  key: string;
  /** what links of earlier versions call it */
  formerly: string;
  short: string;
  title: string;
  answers: string;
  words: Words;
  exercise: { task: string[]; key: string[] };
  runs: boolean;
  /** names of words: what cannot be chosen where the page decodes for itself */
  absent?: string[];
}

/** All that comes when the tab is first opened (specviz/page/lab/tab.py). */
export type LabData = { script: string; style: string; panels: PanelWords[]; page: Record<string, string> };

/** What the script of the Lab exports. */
export type Lab = typeof import("./tab.js");

export interface FrameMount extends Mount<{ opening: string; lost: string }> {
  server: { everything(request: string): Promise<string> };
}

/** Python's functions of a panel, by name. */
export type Server = Record<string, (request?: unknown) => Promise<string>>;

export interface PanelMount extends Mount<{ panel: string; drafter?: string }> {
  server: Server;
  run(settings: Settings): void;
  stop(): void;
  take(settings: Settings): void;
  embed?: Embed;
  /** one sentence that stands in the panel at first */
  notice?: string;
}

/** Where a panel can stand in another page: the line that shows it there as the address has it now, and what is said of it. */
export type Embed = { word: string; copied: string; refused: string; line(): string };

/** What a link carries, by name, as it stands there. */
export type Settings = Record<string, string>;

/** Of a panel, whichever. */
export type Words = Record<PanelKey, string>;

/** What a panel is given. */
export interface PanelContext {
  words: Words;
  /** What can be chosen here, by the rest of the names of words that begin alike. */
  options(prefix: string): Record<string, string>;
  /** Whether `startRun` leads to anything: not where nothing decodes for the panel, as on the site. */
  runs: boolean;
  /** The first of the ways to draft. */
  drafter: string;
  /** What the address asked for when the panel was first seen: from anybody, so each value is checked. */
  linkSettings: Settings;
  server: Server;
  /** From now on the address, and a copied link, say this. */
  updateLink(settings: Settings): void;
  /** Begin what Python runs; what it finds comes to `PanelView.showResult`. */
  startRun(settings: Settings): void;
  /** Set these in Watch, by the names of its links, and show it. */
  openInWatch(settings: Settings): void;
  /** One sentence about what is there now, heard too. */
  announce(sentence: string): void;
  /** How far something in the page is; null: it is over. */
  showProgress(done: number | null, of?: number, left?: number | null): void;
  /** How wide the picture is, in px of a drawing with text of 14: on a projector they are larger. */
  width(): number;
}

/** What a panel is made of. Only `picture` must be. */
export interface PanelView {
  /** Fields and buttons, in a row. */
  controls?: Child;
  picture: HTMLElement;
  numbers?: Child;
  /** Once all of it stands on the page, for the first time. */
  onMount?(): void;
  /** Buttons beside Run. */
  moreButtons?: [word: string, act: () => void][];
  /** What Run does. */
  run?(): void;
  /** What Stop does, beside stopping what Python runs. */
  stop?(): void;
  /** All that Python has found so far; `over`: there will be no more. */
  showResult?(result: unknown, over: boolean): void;
  /** An address was followed to the panel as it stands: what it asks for. */
  followLink?(settings: Settings): void;
  /** Each time that the panel comes onto the screen, and when its width changes. */
  draw?(): void;
  /** What CSV saves: the names of the columns, then rows. */
  table?(): (string | number | null)[][] | null;
  /** What PNG saves. */
  chart?(): SVGSVGElement | null;
}

export type MakePanel = (context: PanelContext) => PanelView;

/** What Python says while it runs (specviz/page/lab/tab.py). */
export interface RunMessage {
  state: "waiting" | "running" | "done" | "stopped" | "error";
  before?: number;
  seconds?: number | null;
  done?: number;
  of?: number;
  left?: number | null;
  found?: unknown;
  message?: string;
}

/** A panel on the page: its box, what Python says of it, and its view once it was seen. */
export type MountedPanel = { mount: PanelMount; panel: PanelWords; view: PanelView | null; settings: Settings };

/** The tab: all that is shown of it is drawn from this. */
export interface Tab {
  root: HTMLElement;
  data: LabData;
  panels: Map<string, MountedPanel>;
  currentKey: string;
  visible: boolean;
}

export type Who = "alone" | "turns" | "room";

/** Tokens drafted, examined and kept, and the β of those examined, summed. */
export type DraftCounts = Record<"drafted" | "tested" | "accepted" | "beta", number>;

export interface PositionChances {
  entries: { token: Token; p: number; q: number }[];
  rest: { p: number; q: number };
  beta: number | null;
}

export interface DraftToken {
  token: Token;
  q: number;
  p: number;
  u: number | null;
  verdict: "accepted" | "rejected" | "unexamined";
  place: PositionChances | null;
}

export type EmittedToken = { token: Token; role: "accepted" | "corrected" | "bonus" | "plain"; chance: number | null };

/** `greedy`: at temperature 0; `round`: in a room its number, from 1. */
export interface PlayedRound {
  drafted: DraftToken[];
  emitted: EmittedToken[];
  people: DraftCounts;
  others: ({ key: string; name: string } & DraftCounts)[];
  ended: "eos" | "context" | null;
  greedy: boolean;
  round?: number;
}

/** `player`: who drafted it. */
export type Turn = PlayedRound & { player: string };

export type TextToken = { token: Token; role: "prompt" | EmittedToken["role"] };

export type { OpenRoom as Room } from "../poll/types.js";

export interface RoomView {
  round: number;
  here: number;
  guessed: number;
  left: number;
  poll: object | null;
  names: { id: number; name: string; guessed: boolean }[];
  played: PlayedRound[];
}

export interface State {
  who: Who;
  temperature: number;
  seed: number;
  prompt: string;
  text: TextToken[];
  turns: Turn[];
  room: Room | null;
  busy: boolean;
}

/** α of one who drafts: the mean of β over what was examined; null where nothing was. */
export type DrafterScore = DraftCounts & { name: string; people: boolean; alpha: number | null };

export type Spread = { median: number; low: number; high: number; first: number; third: number; runs: number };

export type Measure = "alpha" | "tokens_a_round" | "speedup";

export interface Setting {
  drafter: string;
  K: number;
  temperature: number;
  verifier: string;
  drafting: string;
  tree?: string;
  children?: string;
  nodes?: number;
}

export interface LuckRun {
  setting: number;
  seed: number;
  again: boolean;
  alpha: number | null;
  tokens_a_round: number;
  /** Null where the run was disturbed. */
  speedup: number | null;
  disturbed: boolean;
  /** its speedup is by processor time */
  by_processor?: boolean;
}

export interface LuckResult {
  settings: Setting[];
  dots: LuckRun[];
  spreads: Record<Measure, Spread | null>[];
  same: Spread | null;
  clock: [number, number, number] | null;
  ratio: Spread | null;
  needed: number | null;
  disturbed: number;
  sentence: string;
}

export type Where = { drafter: string; K: number; temperature: number };

export interface Cell extends Record<"alpha" | "c" | "v" | "predicted", number | null> {
  where: Where;
  runs: number;
  /** of the runs that nothing disturbed; null where every one was */
  speedup: Spread | null;
  tokens_a_round: number;
  drafted_a_round: number;
  disturbed: number;
  /** of the runs that are compared by processor time */
  by_processor?: number;
}

export interface Way {
  drafter: string;
  alpha: number;
  c: number;
  best: boolean;
  K: number | null;
  speedup: number | null;
}

/** `done` runs of `of`. */
export interface SweepResult {
  done: number;
  of: number;
  cells: Cell[];
  ways: Way[];
  /** Of all cells: by the names of a link to Watch. */
  ran: Record<string, string>;
}

/** A chance for each token, by its number; together 1. */
export type Distribution = readonly number[];

/** Where chance comes from: drawn, or every way followed (rules.js). */
export interface Chance {
  /** A token from this distribution. */
  pick(p: Distribution): number;
  /** Whether a new u on [0, 1) is below this. */
  below(bound: number): boolean;
  /** The same with ≤, and a u of 8 bits: one of 256 values, 0 among them. */
  atMost(bound: number): boolean;
}

/** The token that comes at a position, and whether the round goes on behind it: it was the draft's. */
export type TokenOutcome = { x: number; stays: boolean };

/** `i`: the place in the block, 1 to K; one position alone is a block of one. */
export type TokenRule = (p: Distribution, q: Distribution, chance: Chance, i?: number, K?: number) => TokenOutcome;

/** The distributions of the next token after a text. */
export type Model = { p(text: readonly number[]): Distribution; q(text: readonly number[]): Distribution };

/** The tokens that one round of at most K drafts adds to a text. */
export type RoundRule = (text: readonly number[], K: number, model: Model, chance: Chance) => number[];

/** What a formula is about: a token x at place i of a block of K. */
export type Scope = { p: Distribution; q: Distribution; x: number; i: number; K: number };

/** Where a rule does not give p: what it gives, or why it gives nothing. */
export interface Counterexample {
  p: Distribution;
  q: Distribution;
  i: number;
  K: number;
  exact?: Distribution;
  error?: FormulaError;
}

/** `right`: it follows p; null of a rule of one's own. `code`: what runs, for it to be shown. */
export interface Rule {
  key: string;
  right: boolean | null;
  round: RoundRule;
  /** Of one position; null where the rule is about what follows a block. */
  token: TokenRule | null;
  code: TokenRule | RoundRule;
  /** Of a rule of one's own: other p and q. */
  elsewhere?: Counterexample | null;
}

/** What is drawn again and again: one token after a text, or a whole text. `p`: of each of its `names`, by the target alone. */
export interface Case {
  names: string[];
  /** The tokens by their numbers. */
  tokens: string[];
  p: Distribution;
  /** Of one position. */
  q?: Distribution;
  /** As a run recorded it over its whole vocabulary. */
  beta?: number | null;
  /** The distribution of a rule, by enumeration. */
  exact(rule: Rule): Distribution;
  /** Mean tokens of its first round; of one position the chance that the draft token stays, where there is one. */
  roundMeans(rule: Rule): { stays: number | null; tokens: number };
  /** One outcome by its number. */
  draw(rule: Rule, chance: Chance): number;
}
