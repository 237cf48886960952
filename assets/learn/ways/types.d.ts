// What the chapter is drawn from (specviz/page/learn/chapters/ways.py), for the checker of types.

export type * from "../types.js";

export interface Ways {
  c: Record<"poor-draft" | "lookup", number | null>;
  ways: Way[];
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
