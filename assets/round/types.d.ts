// Shapes of the picture of a round, for the checker of types.

import type { Phase, Role, Round, Token } from "../shared/types.js";
import type { makeNode } from "./nodes.js";
import type { makeRound } from "./picture.js";

/** A place in columns and rows; `wide` of a column is its box. Where two stand abreast, x is not their depth. */
export type Spot = { x: number; y: number; depth: number; wide: number };

export type Layout = { spots: Spot[]; order: number[]; rows: number; columns: number; extra: Spot | null };

/** How a token looks; "" is: not there yet, "lit": the target's pass reads it. */
export type Look = Role | "prompt" | "lit" | "";

export interface Moment {
  phase: Phase;
  looks: Look[];
  falls: (number | null)[];
  /** p is known */
  checked: boolean;
  extra: Look;
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
