// How many draws a second the panel makes, for scripts/bench_lab.py: of the example, by rejection, each as on the page.
//
//     node -e 'import("./assets/lab/mistakes/speed.js").then(({ drawsPerSecond }) => console.log(drawsPerSecond()))'
//     specvizLab.drawsPerSecond()          // in the page, once the Lab was opened

import { example } from "./sources.js";
import { RULES } from "./table.js";
import { makeTrial } from "./trial.js";

const DRAWS = 1000;

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
