// What the chapter is drawn from (specviz/page/learn/chapters/accept.py), for the checker of types.

import type { Scene } from "../types.js";

export type * from "../types.js";

/** `betas`: of every position that the run tested. */
export type Accepting = Scene & { betas: number[] };
