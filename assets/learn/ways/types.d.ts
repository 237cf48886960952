// What the chapter is drawn from (specviz/page/learn/chapters/ways.py), for the checker of types.

export type * from "../types.js";

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

/** A way to draft; `stack` says which layers are at work. */
export type Way = { name: string; stack: Stack; reads: string; cost: string; published: string; source: string };

export type Stack = "beside" | "first" | "heads" | "feature" | "text" | "table";
