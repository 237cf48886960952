// What each rule would have kept: at one position, and averaged over those that a run tested
// (specviz/picture/chances.py).

import { sum } from "../trace/events.js";
import { ratio, short } from "./plain.js";

/** @import { Config, Position, Round } from "../trace/types.js" */
/** @typedef {"rejection" | "match" | "argmax"} RuleName */

/** @type {RuleName[]} */
const RULES = ["rejection", "match", "argmax"];

/** The chance to keep a draft token here, by rule. @param {Position | null} position */
export function at(position) {
  if (!position || position.product === null || position.beta === null) return null;
  const rejection = position.own ? position.own.beta : position.beta;
  return { rejection: short(rejection), match: short(position.product), argmax: short(position.best) };
}

/** The mean of each rule over the positions that were tested; null where no position says.
 * @param {Config} config @param {Round[]} rounds @param {boolean} exact of the settings */
export function averaged(config, rounds, exact) {
  const tested = rounds.flatMap(({ drafted }) => drafted).filter(({ verdict }) => verdict !== "unexamined");
  const known = tested.map(({ position }) => at(position)).filter((found) => found !== null);
  if (!known.length) return null;
  const greedy = config.temperature === 0;
  const means = RULES.map((rule) => sum(known.map((found) => found[rule] ?? 0)) / known.length);
  return {
    ...Object.fromEntries(RULES.map((rule, i) => [rule, short(means[i])])),
    positions: known.length,
    ran: greedy ? "greedy" : config.drafting === "argmax" && exact ? "argmax" : config.verifier,
    exact,
    accepted: ratio(tested.filter(({ verdict }) => verdict === "accepted").length, tested.length),
    most: greedy ? null : RULES[means.indexOf(Math.max(...means))],
  };
}
