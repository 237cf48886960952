// What u must be below for a drafted token to stay.

/** @import { Config, Drafted } from "./types.js" */

/**
 * p/q, divided by θ of an accept threshold, or under block verification the chance to keep the block up to here. Where
 * q is 0 any u keeps the token.
 * @param {Pick<Drafted, "ratio" | "chance">} drafted @param {Pick<Config, "verifier" | "theta">} [config]
 */
export function limitOf({ ratio, chance }, config) {
  if (config?.verifier === "block" && chance !== null && chance !== undefined) return chance;
  return (ratio ?? Number.POSITIVE_INFINITY) / (config?.verifier === "threshold" ? config.theta : 1);
}
