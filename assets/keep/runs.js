// A run of this visit in words: when it was made, what it was set to, what it came to.

import { number, percent } from "../shared/numbers.js";
import { visible } from "../shared/tokens.js";

/** @typedef {Record<string, string>} Words */
/** @typedef {string | number | boolean | null} Setting */

/**
 * @typedef {object} Run
 * @property {string} id
 * @property {string} source
 * @property {string} created
 * @property {Record<string, Setting>} settings
 * @property {Record<string, number | null>} numbers
 * @property {boolean} [disturbed] the machine was busy: its times are not to be trusted
 * @property {Record<string, [number, number]>} [sure] from where to where such a number may be
 */

const SHARES = ["alpha", "accepted_of_tested"];
const TIMES = ["speedup", "tokens_per_second"]; // what a busy machine changes
/** @type {Record<string, number>} */
const DIGITS = {
  tokens_per_forward: 2,
  tokens_per_round: 2,
  tokens_per_second: 1,
  tokens: 0,
  target_forwards: 0,
  draft_forwards: 0,
};

/** The time of day, and the day too where it is another one. @param {Run} run */
export function clockTime({ created }) {
  const then = new Date(created);
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}

/**
 * A value as a person reads it: from the settings or from the numbers of a run.
 * @param {Run} run @param {string} name @param {Words} words
 */
export function cellText({ settings, numbers, disturbed }, name, words) {
  const value = name in numbers ? numbers[name] : settings[name];
  if (value === null || value === "") return words.nothing;
  if (disturbed && TIMES.includes(name)) return words.busy;
  if (!(name in numbers)) return typeof value === "boolean" ? words[value ? "yes" : "no"] : visible(String(value));
  if (SHARES.includes(name)) return percent(Number(value));
  return name === "speedup" ? `${number(Number(value), 2)} ×` : number(Number(value), DIGITS[name]);
}

/**
 * How many times a's number b's is; null where that says nothing.
 * @param {Run} a @param {Run} b @param {string} name
 */
export function factor(a, b, name) {
  const [first, second] = [a.numbers[name], b.numbers[name]];
  return first && first > 0 && second !== null && second !== undefined ? second / first : null;
}

/** What of two runs may be compared: all, or only what was counted. @param {Run} a @param {Run} b */
export function comparable(a, b) {
  const names = Object.keys(a.numbers);
  return a.disturbed || b.disturbed ? names.filter((name) => !TIMES.includes(name)) : names;
}

/** Whether the two may be the same for all that their times say. @param {Run} a @param {Run} b @param {string} name */
export function unclear(a, b, name) {
  const [first, second] = [a.sure?.[name], b.sure?.[name]];
  return Boolean(first && second && first[0] <= second[1] && second[0] <= first[1]);
}
