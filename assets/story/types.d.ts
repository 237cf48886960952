// Shapes of the story, for the checker of types.

import type { Shown } from "../shared/types.js";

/** From `at` on a sentence is said, by its name in the words; `who` of the two models is at work. */
export type Scene = { at: number; says: string; who?: "small" | "large" | "both" };

/** A token of the round: when it flies in, and when its verdict falls. */
export type Word = { shown: Shown; at: number; decided: number };

/**
 * `question`: what a chat model was asked; `before`: the words that the round goes on from, and when each comes; `look`: while the large model looks; `race`: when both lanes begin, which
 * are shown `slow` times slower than measured; `stills`: a moment of each beat; `stops`: where whoever steps stands.
 */
export interface Story {
  question: string;
  before: { text: string; at: number }[];
  words: Word[];
  scenes: Scene[];
  look: { from: number; to: number };
  race: number;
  slow: number;
  duration: number;
  stills: number[];
  stops: number[];
  values: { n: number; speedup: number; alone: number; own: number };
}
