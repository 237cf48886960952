// Rounds whose places and moments a test can tell by heart.

import { drafted, round, span } from "../picture.js";

export const node = (parent, depth, rank, verdict = "unexamined", more = {}) =>
  drafted({ parent, depth, rank, verdict, u: verdict === "unexamined" ? null : 0.5, at: depth, decided: 30, ...more });

/** Two levels: the first of three is rejected and the second kept, whose two children are rejected. */
export const tree = () =>
  round({
    drafted_at: 10,
    verified_at: 20,
    decided_at: 40,
    end: 50,
    drafted: [
      node(-1, 1, 0, "rejected", { decided: 24 }),
      node(-1, 1, 1, "accepted", { decided: 28 }),
      node(-1, 1, 2, "unexamined", { decided: 36 }),
      node(0, 2, 0, "unexamined", { decided: 36 }),
      node(1, 2, 0, "rejected", { decided: 32 }),
      node(1, 2, 1, "rejected", { decided: 36 }),
    ],
    emitted: [{ role: "accepted" }, { role: "corrected" }],
    target_cache: { before: 3, peak: 10, after: 5 },
    shown: [
      span({ role: "accepted", drafted: 1, emitted: 0, at: 1, decided: 28 }),
      span({ role: "rejected", drafted: 4, emitted: null, at: 2, decided: 32 }),
      span({ role: "rejected", drafted: 5, emitted: null, at: 2, decided: 36 }),
      span({ role: "corrected", emitted: 1, at: 40, decided: 40 }),
    ],
  });

/** A tree of 64: four children of the text, each with a chain or two behind. */
export const sixtyFour = () => {
  const nodes = [];
  let level = [-1];
  for (const [depth, width] of [4, 3, 2, 1].entries()) {
    const next = [];
    for (const parent of level) {
      for (let rank = 0; rank < width; rank++) next.push(nodes.push(node(parent, depth + 1, rank)) - 1);
    }
    level = next;
  }
  return round({ drafted: nodes });
};
