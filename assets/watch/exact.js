// That the rule of a run is not exact: wherever its result is told, in words and in red.

import { el } from "../shared/dom.js";
import { say } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Config } from "../shared/types.js" */

/**
 * Whether the run's rule bent the law of its text: with nothing drafted there was nothing to decide.
 * @param {Config} config
 */
export const inexact = ({ exact, K }) => !exact && K > 0;

/** The sentence, or nothing. @param {Config} config */
export function notExact(config) {
  const rule = WORDS[`rule_${config.verifier}`];
  return inexact(config) ? el("p.sv-not-exact", null, say("not_exact", { rule })) : null;
}
