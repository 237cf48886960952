// What the chapter is drawn from (specviz/page/learn/chapters/alone.py), for the checker of types.

import type { Pair, Recorded, Written } from "../types.js";

export type * from "../types.js";

export interface Alone extends Pair {
  before: Written[];
  tokens: Written[];
  recorded: Recorded[];
}
