// How sure the times of a run are: what was timed and how often, or the signs that the machine was busy meanwhile.

import { button } from "../shared/button.js";
import { el } from "../shared/dom.js";
import { number, percent, times } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Comparison, Sign } from "../shared/types.js" */

/** What the speedup and its interval are, behind a question. @param {Comparison} comparison */
export function timed({ runs, often, low, high }) {
  const values = { runs, low: number(low, 2), high: number(high, 2) };
  const how = say(runs === 1 ? "timed_once" : often ? "timed_often" : "timed_few", values);
  return el(
    "details.sv-timed",
    null,
    el("summary", null, WORDS.timed),
    el("p", null, WORDS.timed_is, " ", how, " ", WORDS.luck),
  );
}

/**
 * That times are withheld and why, and a way to time the run again where there is one.
 * @param {Comparison} comparison
 */
export function disturbance({ disturbed }) {
  const signs = disturbed.flatMap((sign) => [" ", sentence(sign)]);
  const run = /** @type {HTMLElement | null} */ (document.querySelector("#run"));
  const again = run && button(WORDS.run_again, () => run.click(), { class: "sv-run-again" });
  return el(
    "div.sv-busy",
    { role: "note" },
    el("p", null, el("strong", null, WORDS.disturbed), " ", again),
    el("p", null, signs),
  );
}

/** @param {Sign} sign */
function sentence({ kind, lane, value }) {
  const values = { lane: lane && WORDS[`lane_${lane}`], percent: percent(value), value: number(value, 2) };
  return plain(`sign_${kind}`, { ...values, times: times(value) });
}
