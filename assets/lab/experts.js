// Why drafts do not pay for a mixture of experts: a pass reads what any of its tokens uses.

import { number, rounded } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { denseOf, parametersRead } from "../shared/serving.js";

/** @import { Words } from "./types.js" */
/** @import { Size } from "../shared/hardware.js" */

/**
 * A sentence where no K pays for a mixture, and some K would pay for the dense model of the same cost per token.
 * @param {Size} target @param {number} texts
 * @param {(target: Size) => { K: number, speedup: number }} bestOf of this draft with a target
 * @param {Pick<Words, "experts">} words @returns {string[]}
 */
export function expertsReason(target, texts, bestOf, words) {
  if (!target.experts || bestOf(target).K) return [];
  const dense = denseOf(target);
  const { K, speedup } = bestOf(dense);
  if (!K) return [];
  const v = parametersRead(target, 2 * texts) / parametersRead(target, texts);
  return [fillText(words.experts, { K, active: number(dense.parameters, 1), ...rounded({ v, speedup }) })];
}
