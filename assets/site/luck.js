// What the dots of Luck say in sentences (specviz/lab/luck.py): the sentences are those of assets/lab/luck/said.json.

import { fillText } from "../shared/sentences.js";

/** @import { Found, Spread } from "../lab/luck/types.js" */

const FEW = 4;
const COUNTLESS = 10_000;
const WITHIN = 0.05;
const UNSURE = 0.8;

/** @param {Omit<Found, "sentence">} found @param {Record<string, string>} said */
export function sentence({ dots, settings, spreads, clock, ratio, needed, disturbed }, said) {
  const busy = disturbed ? [fillText(said.busy, { disturbed, runs: dots.length })] : [];
  const shown = spreads[0].speedup;
  if (!shown || !clock) return [...busy, fillText(said.few, { few: FEW })].join(" ");
  const count = (/** @type {string} */ word, /** @type {number} */ n) =>
    fillText(said[word], { n: n.toLocaleString("en") });
  const parts = [fillText(said.median, rounded(shown))];
  if (settings[0].temperature === 0) parts.push(said.clock_greedy);
  else {
    const [share, low, high] = clock.map((value) => (100 * value).toFixed(0));
    parts.push(fillText(said.clock, { share, low, high }));
    if (clock[2] - clock[1] > UNSURE) parts.push(said.unsure);
    else if (clock[0] < 0.995) parts.push(said.rest);
  }
  if (ratio && ratio.runs >= FEW) {
    const apart = ratio.low > 1 || ratio.high < 1;
    const about = () => (needed && needed > ratio.runs ? count("about", needed) : count("above", ratio.runs));
    const seeds = needed === null ? count("above", COUNTLESS) : apart ? needed.toLocaleString("en") : about();
    parts.push(fillText(said.ratio, rounded(ratio)));
    parts.push(fillText(said[apart ? "apart" : "alike"], { runs: ratio.runs, needed: seeds }));
  } else if (settings.length === 1) {
    const seeds = needed ? count("about", needed) : count("above", COUNTLESS);
    parts.push(fillText(said.needed, { within: (100 * WITHIN).toFixed(0), needed: seeds }));
  }
  return [...parts, ...busy].join(" ");
}

/** @param {Spread} spread */
function rounded({ runs, median, low, high }) {
  return { runs, median: median.toFixed(2), low: low.toFixed(2), high: high.toFixed(2) };
}
