// What rounds gave, counted.

/** @import { Written } from "./types.js" */

/** Tokens of a round that stayed. @param {Written[]} round */
export function tokensKept(round) {
  return round.filter(({ role }) => role !== "rejected" && role !== "unexamined").length;
}

/** How many rounds gave 1 token, 2, up to K + 1. @param {number[]} gave @param {number} K */
export function tally(gave, K) {
  return Array.from({ length: K + 1 }, (_, i) => gave.filter((n) => n === i + 1).length);
}

/** @param {number[]} values */
export function mean(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
