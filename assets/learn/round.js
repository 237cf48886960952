// The picture of recorded rounds, as a chapter shows them: nothing is chosen in it, and its clock is the chapter's.

import { makeRound } from "../round/picture.js";

/** @import { Round } from "../shared/types.js" */

const RULE = { greedy: false, verifier: "rejection", theta: 1 }; // of all scenes (specviz/page/learn/chapter.py)

/**
 * @param {Round[]} rounds @param {string[]} before the token before each of them
 * @param {{ mask?: boolean, caches?: boolean, states?: boolean }} parts
 */
export function roundPicture(rounds, before, parts) {
  const view = makeRound(RULE, rounds, null, parts);
  const last = (/** @type {number} */ i) => ({ id: 0, text: before[i], partial: false });
  return {
    root: view.root,
    /** @param {number} t @param {number} [i] which of them */
    show: (t, i = 0) => view.move(rounds[i], t, () => ({ last: last(i), read: [] })),
  };
}
