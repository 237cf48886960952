// What has come, said in sentences: how far off, what the rule's own distribution is, how often luck would do that.

import { number, probability } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { largest } from "./distributions.js";
import { errorSentence } from "./editor.js";
import { LETTERS, overAcceptedToken, PAIRS, TOLERANCE } from "./own.js";
import { RULES } from "./rules.js";
import { chiSquare, distanceFromP } from "./trial.js";

/** @import { Case, Counterexample, Distribution } from "./types.js" */
/** @import { Trial } from "./trial.js" */

/** @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words */
export function sentences(testCase, trial, words) {
  const { rule } = trial;
  const parts = [
    exactSentence(testCase, trial, words),
    ...(rule.right === null ? ownRuleSentences(testCase, trial, words) : []),
    words[`note_${rule.key}`],
    restSentence(testCase, words),
    sampleSentence(testCase, trial, words),
  ];
  return [...parts, testSentence(testCase, trial, words), ...priceSentences(testCase, trial, words)].filter(Boolean);
}

/** Whether the rule gives p here, and as far as is known everywhere. @param {Pick<Trial, "off" | "rule">} trial */
export const isExact = ({ off, rule }) => off < TOLERANCE && (rule.right ?? !rule.elsewhere);

/** @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words */
function exactSentence({ names, p }, trial, words) {
  const { exact, off, rule } = trial;
  if (off >= TOLERANCE) return fillText(words.exact_wrong, { off: number(off, 3), ...largestError(names, exact, p) });
  if (isExact(trial)) return words.exact_right;
  return fillText(words.exact_unseen, { why: words[`unseen_${rule.key}`] ?? words.agrees });
}

/** The outcome that is furthest off. @param {string[]} names @param {Distribution} exact @param {Distribution} p */
function largestError(names, exact, p) {
  const at = largest(exact.map((chance, i) => Math.abs(chance - p[i])));
  return { x: names[at], own: probability(exact[at]), p: probability(p[at]) };
}

/**
 * Of a rule of one's own: whether another replacement would give p, or whether it gives p elsewhere too.
 * @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words
 */
function ownRuleSentences({ tokens, p, q }, { off, rule }, words) {
  const { token, elsewhere } = rule;
  if (off < TOLERANCE)
    return [elsewhere ? counterexampleSentence(elsewhere, words) : fillText(words.own_everywhere, { n: PAIRS })];
  const overToken = q && token && overAcceptedToken(token, p, q);
  if (!overToken) return q ? [words.own_mend] : [];
  const { x, accepted } = overToken;
  return [fillText(words.own_hopeless, { x: tokens[x], accepted: probability(accepted), p: probability(p[x]) })];
}

/** @param {Counterexample} elsewhere @param {Record<string, string>} words */
function counterexampleSentence({ p, q, i, K, exact = [], error }, words) {
  const values = { p: p.join(", "), q: q.join(", "), i, K };
  if (error) return `${fillText(words.own_fails, values)} ${errorSentence(error, LETTERS, words)}`;
  const { x, own, p: due } = largestError(LETTERS, exact, p);
  return fillText(words.own_elsewhere, { ...values, x, own, due });
}

/** A run holds the largest chances only. @param {Case} testCase @param {Record<string, string>} words */
function restSentence(testCase, words) {
  if (testCase.beta == null) return "";
  const beta = testCase.roundMeans(RULES[0]).stays;
  return fillText(words.note_rest, { beta: number(beta, 3), recorded: number(testCase.beta, 3) });
}

/** @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words */
function sampleSentence({ p }, trial, words) {
  if (!trial.n) return words.nothing;
  return fillText(words.sample, { n: number(trial.n, 0), off: number(distanceFromP(trial, p), 4) });
}

/** χ² with its p-value in words. @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words */
function testSentence({ names, p }, { n, counts }, words) {
  if (!n) return "";
  const test = chiSquare(counts, p);
  if (test.impossible !== null) {
    return fillText(words.chi_impossible, { x: names[test.impossible], n: number(counts[test.impossible], 0) });
  }
  if (test.p === null) return words.chi_none;
  const { freedom } = test;
  const chi = number(test.chi, test.chi < 1 ? 2 : 1);
  const values = { chi, freedom, s: freedom === 1 ? "" : "s", often: frequencyText(test.p, words) };
  return fillText(test.p >= 0.05 ? words.chi_quiet : test.p >= 0.001 ? words.chi_doubt : words.chi_loud, values);
}

/** A probability as a person says it. @param {number} p @param {Record<string, string>} words */
export function frequencyText(p, words) {
  if (p < 1e-9) return words.never;
  if (p >= 0.1) return fillText(words.of_hundred, { n: Math.min(99, Math.round(100 * p)) }); // never all of them
  return fillText(words.one_of, { n: number(Number((1 / p).toPrecision(2)), 0) });
}

/**
 * What the rule gives for it; of an exact rule of one's own beside others.
 * @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words
 */
function priceSentences(testCase, { rule, off }, words) {
  const { stays, tokens } = testCase.roundMeans(rule);
  const values = {
    tokens: number(tokens, 2),
    stays: stays === null ? "" : fillText(words.stays, { stays: number(stays, 3) }),
  };
  const price = fillText(words.price, values);
  if (rule.right !== null || off >= TOLERANCE) return [price];
  const [ratio, best] = ["rejection", "block"].map((name) => {
    const other = RULES.find(({ key }) => key === name);
    return other && number(testCase.roundMeans(other).tokens, 2);
  });
  return [price, fillText(words.own_price, { ratio, best, which: testCase.q ? words.best_place : words.best_block })];
}

/** @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words */
export function outcomeTable({ names, p }, { n, counts, exact: exact_p }, words) {
  const heads = [words.outcome, words.column_p, words.column_exact, words.came, words.column_due];
  const rows = names.map((name, i) => {
    const differs = Math.abs(exact_p[i] - p[i]) > TOLERANCE;
    const cells = [
      probability(p[i]),
      `${differs ? "≠ " : ""}${probability(exact_p[i])}`,
      number(counts[i], 0),
      number(n * p[i], 1),
    ];
    return line(name, cells, { "data-differs": differs ? "" : null });
  });
  return table(".sv-table.lab-table.brk-table", heads, rows);
}
