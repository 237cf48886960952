// What the chapter is drawn from (specviz/page/learn/chapters/residual.py), for the checker of types.

import type { Round, Token } from "../../shared/types.js";

export type * from "../types.js";

/** A position by its largest tokens and one entry for all others; its token was rejected in `round`, which goes on from
 * the token `before`. */
export type Distribution = { entries: Part[]; beta: number; round: Round; before: string };

/** `shared` and `excess` add up to p. */
export type Part = { token: Token | null; p: number; q: number; shared: number; excess: number };
