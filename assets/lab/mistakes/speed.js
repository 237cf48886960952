// How fast the panel is, for scripts/bench_lab.py: draws of the example by rejection, each as on the page; and from the
// formulas of a rule to its distribution.
//
//     node -e 'import("./assets/lab/mistakes/speed.js").then(({ drawsPerSecond }) => console.log(drawsPerSecond()))'
//     specvizLab.drawsPerSecond()          // in the page, once the Lab was opened

import { ownRule, PRESETS } from "./own.js";
import { example, language } from "./sources.js";
import { RULES } from "./table.js";
import { makeTrial } from "./trial.js";

const DRAWS = 1000;
const TIMES = 9;

/** @param {number} [ms] how long it is measured, after as long of warming up @param {() => number} [clock] in ms */
export function drawsPerSecond(ms = 500, clock = () => performance.now()) {
  const trial = makeTrial(example("example"), RULES[0], 1);
  /** @type {number[]} */
  const paces = [];
  for (let turn = 0; turn < 2; turn++) {
    const [from, began] = [trial.n, clock()];
    while (clock() - began < ms) trial.draw(DRAWS);
    paces.push((1000 * (trial.n - from)) / (clock() - began));
  }
  return paces[1];
}

/**
 * Milliseconds from the last key of a formula to the distribution of all texts and the first draws: the slowest of the
 * rules in use, the middle of several times.
 * @param {() => number} [clock] in ms
 */
export function ownRuleMs(clock = () => performance.now()) {
  const now = language();
  const took = Object.values(PRESETS).map((formulas) => {
    const times = Array.from({ length: TIMES }, () => {
      const began = clock();
      makeTrial(now, ownRule(formulas), 1).draw(DRAWS);
      return clock() - began;
    });
    return times.sort((a, b) => a - b)[Math.floor(TIMES / 2)];
  });
  return Math.max(...took);
}
