// What the page says of the speed of this browser: c and v as they were measured before a run, and after it what the
// same rounds would give where a pass over a block costs no more than one over a token.

import { number } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";

/** @import { Costs } from "../engine/types.js" */
/** @import { Picture } from "../shared/types.js" */
/** @import { SiteData } from "./types.js" */

/** The costs that were measured first, as a sentence. @param {Record<string, string>} words @param {Costs} costs */
export function costsSentence(words, { pass, step, busy, block, c, v }) {
  if (busy) return words.costs_busy;
  if (!pass) return fillText(words.costs_clock, { step: number(step, 1) });
  const one = fillText(words.costs, { pass: number(pass, 2) });
  if (c === null || v === null) return one;
  return `${one} ${fillText(words.costs_draft, { n: block + 1, v: number(v, 2), c: number(c, 3) })}`;
}

/** @param {SiteData} site @param {Picture} picture */
export function hypotheticalSpeedup({ words, costs }, picture) {
  const { c, tokens, drafted, steps } = /** @type {any} */ (picture.account);
  if (!(c > 0)) return words.decoded;
  const on = costs.ms[Math.min(Math.round(drafted), costs.ms.length - 1)] / costs.ms[0];
  const first = fillText(words.gains, { one: number(tokens / (steps * c + 1), 2) });
  const gpu = number(tokens / ((drafted * costs.draft_ms) / costs.ms[0] + on), 2);
  const second = picture.header.draft?.kind === "model" ? fillText(words.gains_gpu, { ...costs, gpu }) : "";
  return `${first} ${second}`.trim();
}
