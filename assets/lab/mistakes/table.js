// All rules, in the order in which they are offered: those that follow p, then the mistakes.

import { block, early, rounds, unrewarded } from "./rounds.js";
import {
  argmax,
  chosen,
  doubtful,
  filtered,
  match,
  mixed,
  most,
  places,
  recursive,
  rejection,
  resample,
  siblings,
  softened,
  stuck,
  typical,
} from "./rules.js";

/** @import { RoundRule, Rule, TokenRule } from "./types.js" */

/** @param {string} key @param {boolean | null} right @param {TokenRule} token @returns {Rule} */
export const ofToken = (key, right, token) => ({ key, right, token, round: rounds(token), code: token });

/**
 * About what follows a block: at one position each of them is rejection.
 * @param {string} key @param {boolean} right @param {RoundRule} round @returns {Rule}
 */
const ofBlock = (key, right, round) => ({ key, right, token: null, round, code: round });

export const RULES = [
  ofToken("rejection", true, rejection),
  ofToken("match", true, match),
  ofBlock("block", true, block),
  ofToken("argmax", true, argmax),
  ofToken("recursive", true, recursive),
  ofToken("chosen", true, chosen),
  ofBlock("unrewarded", true, unrewarded), // a mistake that costs tokens, and leaves the distribution as it is
  ofToken("resample", false, resample),
  ofToken("softened", false, softened),
  ofToken("mixed", false, mixed),
  ofToken("doubtful", false, doubtful),
  ofToken("most", false, most),
  ofToken("stuck", false, stuck),
  ofToken("filtered", false, filtered),
  ofBlock("early", false, early),
  ofToken("siblings", false, siblings),
  ofToken("places", false, places),
  ofToken("typical", false, typical),
];
