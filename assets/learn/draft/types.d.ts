// What the chapter is drawn from (specviz/page/learn/chapters/draft.py), for the checker of types.

import type { Drafted, Round, Shown } from "../../shared/types.js";
import type { Known, Pair, Scene } from "../types.js";

export type * from "../types.js";

export type Drafting = Scene<Known> & { answer: Answer };

/** A run's rounds with what its tokens are shaded by, and no more. */
export interface Answer extends Pair {
  asked: string;
  rounds: (Pick<Round, "emitted"> & { drafted: Drafted[]; shown: Shown[] })[];
}
