// Where the rules' chance comes from: a seeded generator, or every way there is, each with its probability.

/** @import { Chance } from "./types.js" */

const BITS = 256; // values of a u of 8 bits

/** @param {() => number} random gives a number on [0, 1) @returns {Chance} */
export function samplingChance(random) {
  return {
    pick(p) {
      let left = random();
      for (let i = 0; i < p.length; i++) {
        left -= p[i];
        if (left < 0) return i;
      }
      return p.findLastIndex((chance) => chance > 0); // a u so near to 1 that the sum has no room for it
    },
    below: (bound) => random() < bound,
    atMost: (bound) => Math.floor(BITS * random()) / BITS <= bound,
  };
}

/**
 * Runs something once for every way in which chance can fall, and adds up the probabilities of what comes of it.
 * Whatever is asked of chance is answered by each outcome that has a probability, one run after the other.
 * @template Result @param {(chance: Chance) => Result} act must ask the same again where it was answered the same
 * @returns {{ result: Result, chance: number }[]}
 */
export function enumerateOutcomes(act) {
  /**
   * @type {{ at: number, outcomes: [number, number][] }[]} the questions of a run, and which outcome it takes of each
   */
  const path = [];
  const found = [];
  do {
    let asked = 0;
    const answer = (/** @type {() => [number, number][]} */ outcomes) => {
      if (asked === path.length) path.push({ at: 0, outcomes: outcomes().filter(([, chance]) => chance > 0) });
      const { at, outcomes: known } = path[asked++];
      return known[at][0];
    };
    const coin = (/** @type {number} */ yes) =>
      answer(() => [
        [1, yes],
        [0, 1 - yes],
      ]) === 1;
    const result = act({
      pick: (p) => answer(() => p.map((chance, i) => [i, chance])),
      below: (bound) => coin(Math.min(1, bound)),
      atMost: (bound) => coin(Math.min(BITS, Math.floor(BITS * bound) + 1) / BITS),
    });
    found.push({ result, chance: path.reduce((all, { at, outcomes }) => all * outcomes[at][1], 1) });
    while (path.length && path[path.length - 1].at === path[path.length - 1].outcomes.length - 1) path.pop();
    if (path.length) path[path.length - 1].at += 1;
  } while (path.length);
  return found;
}
