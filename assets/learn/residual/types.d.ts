// What the chapter is drawn from (specviz/page/learn/chapters/residual.py), for the checker of types.

import type { Token } from "../../shared/types.js";

export type * from "../types.js";

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
