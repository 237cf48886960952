// That the rule of a run is not exact: wherever its result is told, in words and in red.

import { el } from "../shared/dom.js";
import { say } from "../shared/sentences.js";
import { wordOf } from "../shared/words.js";

/** @import { Config } from "../shared/types.js" */

/** The sentence, or nothing. @param {Config} config */
export function notExact({ exact, verifier }) {
  return exact ? null : el("p.sv-not-exact", null, say("not_exact", { rule: wordOf(`rule_${verifier}`) }));
}
