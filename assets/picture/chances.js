// What each rule would have kept: at one position, and averaged over those that a run tested. The formulas:
// specviz/acceptance.py. Averages are over the texts that this run went through: under another rule it would have
// written another one, and tested other positions.

import { sum } from "../trace/events.js";
import { ratio, short } from "./plain.js";

/** @import { Config, Position, Round } from "../trace/types.js" */
/** @typedef {"rejection" | "match" | "argmax"} RuleName */

/** @type {RuleName[]} drawn and tested by p/q; drawn and matched; the draft's largest */
const RULES = ["rejection", "match", "argmax"];

/** The chance to keep a draft token here, by rule; null where nothing was drafted, or an older trace does not say.
 * @param {Position | null} position */
export function chancesAt(position) {
  if (!position || position.product === null || position.beta === null) return null;
  const rejection = position.own ? position.own.beta : position.beta;
  return { rejection: short(rejection), match: short(position.product), argmax: short(position.best) };
}

/** The mean of each rule over the positions that were tested, the rule that ran, what it kept, and the rule with the
 * largest mean, none at temperature 0, where all are one; null where no position says. Where the argmax is drafted,
 * rejection, match and block verification keep x with one and the same chance, p(x).
 * @param {Config} config @param {Round[]} rounds @param {boolean} exact of the settings */
export function meanChances(config, rounds, exact) {
  const tested = rounds.flatMap(({ drafted }) => drafted).filter(({ verdict }) => verdict !== "unexamined");
  const known = tested.map(({ position }) => chancesAt(position)).filter((chances) => chances !== null);
  if (!known.length) return null;
  const greedy = config.temperature === 0;
  const means = RULES.map((rule) => sum(known.map((chances) => chances[rule] ?? 0)) / known.length);
  return {
    ...Object.fromEntries(RULES.map((rule, i) => [rule, short(means[i])])),
    positions: known.length,
    ran: greedy ? "greedy" : config.drafting === "argmax" && exact ? "argmax" : config.verifier,
    exact,
    accepted: ratio(tested.filter(({ verdict }) => verdict === "accepted").length, tested.length),
    most: greedy ? null : RULES[means.indexOf(Math.max(...means))],
  };
}
