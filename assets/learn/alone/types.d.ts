// What the chapter is drawn from (specviz/page/learn/chapters/alone.py), for the checker of types.

import type { Pair, Recorded, Written } from "../types.js";

export type * from "../types.js";

export type Alone = Pair & { before: Written[]; tokens: Written[]; recorded: Recorded[] };
