// A study's answers before and after a lesson, and what they come to.

import { interval, signTest } from "./exact.js";

/** @import { Sheet } from "./types.js" */

const LETTERS = "ABCD";

/**
 * Sheets of paper as a teacher types them: a line for each student, a word and twice the letters of the answers.
 * `-` is an answer that is missing, or alone a sheet that is. Blank lines are left out.
 * @param {string} typed @param {number} questions
 * @returns {{ sheets: Sheet[], wrong: string | null }} `wrong`: the first line that cannot be read
 */
export function read(typed, questions) {
  const lines = typed.split("\n").filter((line) => line.trim());
  /** @type {Sheet[]} */
  const sheets = [];
  for (const line of lines) {
    const [, ...both] = line.trim().split(/\s+/);
    const [before, after] = both.map((letters) => answers(letters.toUpperCase(), questions));
    if (both.length !== 2 || before === undefined || after === undefined) return { sheets, wrong: line.trim() };
    sheets.push({ before, after });
  }
  return { sheets, wrong: null };
}

/**
 * @param {string} letters @param {number} questions
 * @returns {(number | null)[] | null | undefined} null: no sheet; undefined: neither that nor one
 */
function answers(letters, questions) {
  if (letters === "-") return null;
  if (letters.length !== questions || !/^[A-D-]+$/.test(letters)) return undefined;
  return [...letters].map((letter) => (letter === "-" ? null : LETTERS.indexOf(letter)));
}

/** The same lines, with numbers for words. @param {Sheet[]} sheets */
export function written(sheets) {
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
    const was = pairs.map(({ before, after }) => [before[i] === choice, after[i] === choice]);
    return {
      before: share(sheets.flatMap(({ before }) => (before ? [before[i] === choice] : []))),
      after: share(sheets.flatMap(({ after }) => (after ? [after[i] === choice] : []))),
      gained: was.filter(([before, after]) => !before && after).length,
      lost: was.filter(([before, after]) => before && !after).length,
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
function share(answers) {
  const right = answers.filter(Boolean).length;
  const [low, high] = answers.length ? interval(right, answers.length) : [0, 1];
  return { right, of: answers.length, low, high };
}
