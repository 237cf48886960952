// Shapes of the story, for the checker of types.

import type { TextSpan } from "../shared/types.js";
import type { storyOf } from "./script.js";

/** From `at` on a sentence is said, by its name in the words; `who` of the two models is at work. */
export type Scene = { at: number; key: string; who?: "small" | "large" | "both" };

/** A token of the round: when it flies in, and when its verdict falls. */
export type Word = { token: TextSpan; at: number; decided: number };

export type Story = NonNullable<ReturnType<typeof storyOf>>;
