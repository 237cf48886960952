// What a run that was decoded here says of its own speed: c and v as measured, and what the same rounds would give
// where a pass over a block costs no more than one over a token.

import { number } from "../shared/numbers.js";
import { filled } from "../shared/sentences.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { Given } from "./types.js" */

/** @param {Given} given @param {Picture} picture */
export function gains({ words, costs }, picture) {
  const { c, v, block, tokens, drafted, steps } = /** @type {any} */ (picture.account);
  if (!(c >= 0 && v > 0)) return words.decoded;
  const [two, three] = [2, 3].map((digits) => (/** @type {number} */ value) => number(value, digits));
  const on = costs.ms[Math.min(Math.round(drafted), costs.ms.length - 1)] / costs.ms[0];
  const first = { c: three(c), v: two(v), n: block + 1, one: two(tokens / (steps * c + 1)) };
  const gpu = two(tokens / ((drafted * costs.draft_ms) / costs.ms[0] + on));
  const second = picture.header.draft?.kind === "model" ? filled(words.gains_gpu, { ...costs, gpu }) : "";
  return `${filled(words.gains, first)} ${second}`.trim();
}
