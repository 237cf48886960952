// A run of this visit in words: when it was made, what it was set to, what it came to; and two of them side by side,
// what was set differently and what that came to.

import { el } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { line, wordTable } from "../shared/table.js";
import { visible } from "../shared/tokens.js";

/** @typedef {Record<string, string>} Words */

/**
 * @typedef {object} Run
 * @property {string} id
 * @property {string} source
 * @property {string} created
 * @property {Record<string, string | number | boolean | null>} settings
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

/** @param {Run[]} runs @param {string[]} ids ids of at most two @param {Words} words @returns {HTMLElement[]} */
export function comparison(runs, ids, words) {
  const [a, b] = runs.filter(({ id }) => ids.includes(id));
  if (!b) return runs.length > 1 ? [el("p.sv-note", null, a ? words.choose_one : words.choose_two)] : [];
  const settings = Object.keys(a.settings);
  const same = settings.filter((name) => cellText(a, name, words) === cellText(b, name, words));
  const names = [...settings.filter((name) => !same.includes(name)), ...comparableNames(a, b)];
  const decisive = same.filter((name) => cellText(a, name, words) !== words.nothing);
  const shared = decisive.map((name, i) => {
    const value = el("bdi", null, cellText(a, name, words));
    return [" ", words[name], " ", value, i === decisive.length - 1 ? "." : ","];
  });
  const notes = [];
  if (a.disturbed || b.disturbed) notes.push(words.counts_only);
  if (a.settings.prompt !== b.settings.prompt) notes.push(words.other_prompt);
  if (["device", "threads"].some((name) => a.settings[name] !== b.settings[name])) notes.push(words.machines);
  const rows = names.map((name) => comparedRow(name, a, b, words));
  return [
    wordTable("", heads(a, b, words), rows),
    el("p.sv-note.sv-same", null, words.same_in_both, shared),
    ...notes.map((note) => el("p.sv-note", null, note)),
  ];
}

/** @param {Run} a @param {Run} b @param {Words} words */
const heads = (a, b, words) => [
  null,
  fillText(words.first, { time: clockTime(a) }),
  fillText(words.second, { time: clockTime(b) }),
  words.difference,
];

/**
 * Numbers differ by a factor, settings differ or do not: in words, so that no colour is needed.
 * @param {string} name @param {Run} a @param {Run} b @param {Words} words
 */
function comparedRow(name, a, b, words) {
  const [x, y] = [cellText(a, name, words), cellText(b, name, words)];
  const ratio = ratioOf(a, b, name);
  const by = isUnclear(a, b, name) ? words.unclear : fillText(words.times, { ratio: number(ratio, 2) });
  const differs = ratio === null ? words.differs : by;
  const cells = [...[x, y].map((value) => el("bdi", null, value)), x === y ? words.same : differs];
  return line(words[name], cells, { "data-name": name, "data-same": x === y ? "" : null });
}

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
export function ratioOf(a, b, name) {
  const [first, second] = [a.numbers[name], b.numbers[name]];
  return first && first > 0 && second !== null && second !== undefined ? second / first : null;
}

/** What of two runs may be compared: all, or only what was counted. @param {Run} a @param {Run} b */
export function comparableNames(a, b) {
  const names = Object.keys(a.numbers);
  return a.disturbed || b.disturbed ? names.filter((name) => !TIMES.includes(name)) : names;
}

/** Whether the two may be the same for all that their times say. @param {Run} a @param {Run} b @param {string} name */
export function isUnclear(a, b, name) {
  const [first, second] = [a.sure?.[name], b.sure?.[name]];
  return Boolean(first && second && first[0] <= second[1] && second[0] <= first[1]);
}
