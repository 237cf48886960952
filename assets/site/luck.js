// What the dots of Luck say in sentences (specviz/lab/luck.py), from assets/lab/luck/sentences.json.

import { fillText } from "../shared/sentences.js";

/** @import { LuckResult, Spread } from "../lab/luck/types.js" */

const FEWEST_RUNS = 4;
const MOST_RUNS = 10_000;
const PRECISION = 0.05;
const UNSURE_WIDTH = 0.8;

/** @param {Omit<LuckResult, "sentence">} found @param {Record<string, string>} words */
export function sentence({ dots, settings, spreads, clock, ratio, needed, disturbed }, words) {
  const busy = disturbed ? [fillText(words.busy, { disturbed, runs: dots.length })] : [];
  const speedup = spreads[0].speedup;
  if (!speedup || !clock) return [...busy, fillText(words.few, { few: FEWEST_RUNS })].join(" ");
  const count = (/** @type {string} */ word, /** @type {number} */ n) =>
    fillText(words[word], { n: n.toLocaleString("en") });
  const parts = [fillText(words.median, asTexts(speedup))];
  if (settings[0].temperature === 0) parts.push(words.clock_greedy);
  else {
    const [share, low, high] = clock.map((value) => (100 * value).toFixed(0));
    parts.push(fillText(words.clock, { share, low, high }));
    if (clock[2] - clock[1] > UNSURE_WIDTH) parts.push(words.unsure);
    else if (clock[0] < 0.995) parts.push(words.rest);
  }
  if (ratio && ratio.runs >= FEWEST_RUNS) {
    const apart = ratio.low > 1 || ratio.high < 1;
    const about = () => (needed && needed > ratio.runs ? count("about", needed) : count("above", ratio.runs));
    const seeds = needed === null ? count("above", MOST_RUNS) : apart ? needed.toLocaleString("en") : about();
    parts.push(fillText(words.ratio, asTexts(ratio)));
    parts.push(fillText(words[apart ? "apart" : "alike"], { runs: ratio.runs, needed: seeds }));
  } else if (settings.length === 1) {
    const seeds = needed ? count("about", needed) : count("above", MOST_RUNS);
    parts.push(fillText(words.needed, { within: (100 * PRECISION).toFixed(0), needed: seeds }));
  }
  return [...parts, ...busy].join(" ");
}

/** @param {Spread} spread */
function asTexts({ runs, median, low, high }) {
  return { runs, median: median.toFixed(2), low: low.toFixed(2), high: high.toFixed(2) };
}
