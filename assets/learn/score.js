// A study's answers before and after a lesson, and what they come to: counts without an approximation, since few
// students are a class.

/** @import { Sheet } from "./types.js" */

const LETTERS = "ABCD";

/**
 * Sheets of paper as a teacher types them: a line for each student, a word and twice the letters of the answers.
 * `-` is an answer that is missing, or alone a sheet that is. Blank lines are left out.
 * @param {string} text @param {number} questions
 * @returns {{ sheets: Sheet[], wrong: string | null }} `wrong`: the first line that cannot be read
 */
export function parseSheets(text, questions) {
  const lines = text.split("\n").filter((line) => line.trim());
  /** @type {Sheet[]} */
  const sheets = [];
  for (const line of lines) {
    const [, ...both] = line.trim().split(/\s+/);
    const [before, after] = both.map((letters) => parseAnswers(letters.toUpperCase(), questions));
    if (both.length !== 2 || before === undefined || after === undefined) return { sheets, wrong: line.trim() };
    sheets.push({ before, after });
  }
  return { sheets, wrong: null };
}

/**
 * @param {string} letters @param {number} questions
 * @returns {(number | null)[] | null | undefined} null: no sheet; undefined: neither that nor one
 */
function parseAnswers(letters, questions) {
  if (letters === "-") return null;
  if (letters.length !== questions || !/^[A-D-]+$/.test(letters)) return undefined;
  return [...letters].map((letter) => (letter === "-" ? null : LETTERS.indexOf(letter)));
}

/** The same lines, with numbers for words. @param {Sheet[]} sheets */
export function formatSheets(sheets) {
  const letters = (/** @type {Sheet["before"]} */ sheet) =>
    sheet ? sheet.map((choice) => (choice === null ? "-" : LETTERS[choice])).join("") : "-";
  return sheets.map((one, i) => `${i + 1} ${letters(one.before)} ${letters(one.after)}\n`).join("");
}

/**
 * `gained`, `lost`: of those who answered at both times. `p`: of the exact sign test on who has more right, who fewer.
 * @param {Sheet[]} sheets @param {number[]} right by question
 */
export function scoreAnswers(sheets, right) {
  const pairs = sheets.flatMap(({ before, after }) => (before && after ? [{ before, after }] : []));
  const questions = right.map((choice, i) => {
    const correct = pairs.map(({ before, after }) => [before[i] === choice, after[i] === choice]);
    return {
      before: shareRight(sheets.flatMap(({ before }) => (before ? [before[i] === choice] : []))),
      after: shareRight(sheets.flatMap(({ after }) => (after ? [after[i] === choice] : []))),
      gained: correct.filter(([before, after]) => !before && after).length,
      lost: correct.filter(([before, after]) => before && !after).length,
    };
  });
  const score = (/** @type {(number | null)[]} */ sheet) => sheet.filter((choice, i) => choice === right[i]).length;
  const scores = pairs.map(({ before, after }) => [score(before), score(after)]);
  const more = scores.filter(([before, after]) => after > before).length;
  const fewer = scores.filter(([before, after]) => after < before).length;
  const mean = (/** @type {0 | 1} */ i) => scores.reduce((sum, both) => sum + both[i], 0) / scores.length;
  const all = { n: pairs.length, more, fewer, same: pairs.length - more - fewer };
  return { questions, pairs: { ...all, before: mean(0), after: mean(1), p: signTest(more, fewer) } };
}

/** Right answers of those who gave any, with an exact interval for the share. @param {boolean[]} answers */
function shareRight(answers) {
  const right = answers.filter(Boolean).length;
  const [low, high] = answers.length ? clopperPearson(right, answers.length) : [0, 1];
  return { right, of: answers.length, low, high };
}

/** ln of the number of ways to choose k of n. @param {number} n @param {number} k */
function logChoose(n, k) {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

/** The chance of k or more of n, each with chance p. @param {number} n @param {number} k @param {number} p */
export function binomialTail(n, k, p) {
  if (k <= 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  let sum = 0;
  for (let i = k; i <= n; i++) sum += Math.exp(logChoose(n, i) + i * Math.log(p) + (n - i) * Math.log1p(-p));
  return Math.min(1, sum);
}

/**
 * The exact interval, 95 %, for a share of which k of n were counted (Clopper and Pearson 1934).
 * @param {number} k @param {number} n @returns {[number, number]}
 */
export function clopperPearson(k, n) {
  const low = k === 0 ? 0 : zeroOf((p) => binomialTail(n, k, p) - 0.025);
  const high = k === n ? 1 : zeroOf((p) => binomialTail(n, k + 1, p) - 0.975);
  return [low, high];
}

/** Where a rising function of a share is 0. @param {(p: number) => number} rising */
function zeroOf(rising) {
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The exact sign test: with both ways equally likely, the chance of a result at least so one-sided, to either side.
 * @param {number} more @param {number} fewer
 */
export const signTest = (more, fewer) => Math.min(1, 2 * binomialTail(more + fewer, Math.max(more, fewer), 0.5));
