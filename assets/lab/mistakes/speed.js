// How fast the panel is, for scripts/bench_lab.py: draws of the example by rejection, each as on the page; and from the
// formulas of a rule to its distribution.
//
//     node -e 'import("./assets/lab/mistakes/speed.js").then(({ drawsPerSecond }) => console.log(drawsPerSecond()))'
//     specvizLab.drawsPerSecond()          // in the page, once the Lab was opened

import { ownRule, PRESETS } from "./own.js";
import { RULES } from "./rules.js";
import { example, language } from "./sources.js";
import { makeTrial } from "./trial.js";

const DRAWS = 1000;
const REPEATS = 9;

/** @param {number} [ms] how long it is measured, after as long of warming up */
export function drawsPerSecond(ms = 500) {
  const trial = makeTrial(example("example"), RULES[0], 1);
  /** @type {number[]} */
  const paces = [];
  for (let pass = 0; pass < 2; pass++) {
    const [first, start] = [trial.n, performance.now()];
    while (performance.now() - start < ms) trial.draw(DRAWS);
    paces.push((1000 * (trial.n - first)) / (performance.now() - start));
  }
  return paces[1];
}

/**
 * Milliseconds from the last key of a formula to the distribution of all texts and the first draws: the slowest of the
 * rules in use, the middle of several times.
 */
export function ownRuleMs() {
  const testCase = language();
  const medians = Object.values(PRESETS).map((formulas) => {
    const times = Array.from({ length: REPEATS }, () => {
      const start = performance.now();
      makeTrial(testCase, ownRule(formulas), 1).draw(DRAWS);
      return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[Math.floor(REPEATS / 2)];
  });
  return Math.max(...medians);
}
