// Shapes of the race, for the checker of types.

import type { Clock, Lane, LaneName, Phase, Picture, Role, Round, Slow } from "../shared/types.js";
import type { inspection } from "./inspection.js";
import type { emptyLane } from "./lane.js";
import type { makeBar } from "./player.js";
import type { makePredict } from "./predict.js";
import type { drawScreen } from "./screen.js";
import type { makeSteps } from "./steps.js";

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

/**
 * The component: its places on the page and, once there is a picture, what is shown of it. `slow`: the speed that
 * somebody chose; `fit`: makes the lanes as high as the screen has room; `hiding`: what did not stay is out of the text; `struck`: at the end it is not; `asking`: verdicts are hidden until somebody has said what they will be; `inspecting`: a token was
 * chosen, and what decided it is drawn, by `inspection`, whose script may still be on its way.
 */
export interface Race {
  root: HTMLElement;
  stage: HTMLElement;
  detail: HTMLElement;
  timeline: TimelineView;
  hiding: boolean;
  struck: boolean;
  asking: boolean;
  hard: boolean;
  templates: boolean;
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
