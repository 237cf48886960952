// What the chapter is drawn from (specviz/page/learn/chapters/whole.py), for the checker of types.

export type * from "../types.js";

export type Whole = { K: number; length: number };
