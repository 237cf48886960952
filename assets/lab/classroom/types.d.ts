// Shapes of the panel in which people are the draft, for the checker of types: what Python tells of a round
// (specviz/page/classroom/messages.py), and the one state that all is drawn from.

import type { OpenRoom as Room } from "../../poll/types.js";
import type { Token } from "../../shared/types.js";

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

export type { OpenRoom as Room } from "../../poll/types.js";

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
