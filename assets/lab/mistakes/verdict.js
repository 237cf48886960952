// What has come, said in sentences: how far off, what the rule's own distribution is, how often luck would do that.

import { number, probability } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table as tableOf } from "../../shared/table.js";
import { chiSquare } from "./chisquare.js";
import { largest } from "./distributions.js";
import { errorSentence } from "./editor.js";
import { LETTERS, overAccepted, PAIRS } from "./own.js";
import { RULES } from "./table.js";
import { offOf } from "./trial.js";

/** @import { Case, Counterexample, Distribution } from "./types.js" */
/** @import { Trial } from "./trial.js" */

const SAME = 1e-9; // closer is rounding

/** @param {Case} now @param {Trial} trial @param {Record<string, string>} words */
export function sentences(now, trial, words) {
  const { rule } = trial;
  const said = [
    enumerated(now, trial, words),
    ...(rule.right === null ? ofOwn(now, trial, words) : []),
    words[`note_${rule.key}`],
    lumped(now, words),
    sample(now, trial, words),
  ];
  return [...said, test(now, trial, words), ...price(now, trial, words)].filter(Boolean);
}

/** Whether the rule gives p here, and as far as is known everywhere. @param {Pick<Trial, "off" | "rule">} trial */
export const isExact = ({ off, rule }) => off < SAME && (rule.right ?? !rule.elsewhere);

/** @param {Case} now @param {Trial} trial @param {Record<string, string>} words */
function enumerated({ names, p }, trial, words) {
  const { exact, off, rule } = trial;
  if (off >= SAME) return fillText(words.exact_wrong, { off: number(off, 3), ...worst(names, exact, p) });
  if (isExact(trial)) return words.exact_right;
  return fillText(words.exact_unseen, { why: words[`unseen_${rule.key}`] ?? words.agrees });
}

/** The outcome that is furthest off. @param {string[]} names @param {Distribution} exact @param {Distribution} p */
function worst(names, exact, p) {
  const at = largest(exact.map((chance, i) => Math.abs(chance - p[i])));
  return { x: names[at], own: probability(exact[at]), p: probability(p[at]) };
}

/**
 * Of a rule of one's own: whether another replacement would give p, or whether it gives p elsewhere too.
 * @param {Case} now @param {Trial} trial @param {Record<string, string>} words
 */
function ofOwn({ tokens, p, q }, { off, rule }, words) {
  const { token, elsewhere } = rule;
  if (off < SAME) return [elsewhere ? otherwise(elsewhere, words) : fillText(words.own_everywhere, { n: PAIRS })];
  const over = q && token && overAccepted(token, p, q);
  if (!over) return q ? [words.own_mend] : [];
  const { x, accepted } = over;
  return [fillText(words.own_hopeless, { x: tokens[x], accepted: probability(accepted), p: probability(p[x]) })];
}

/** @param {Counterexample} elsewhere @param {Record<string, string>} words */
function otherwise({ p, q, i, K, exact = [], error }, words) {
  const place = { p: p.join(", "), q: q.join(", "), i, K };
  if (error) return `${fillText(words.own_fails, place)} ${errorSentence(error, LETTERS, words)}`;
  const { x, own, p: due } = worst(LETTERS, exact, p);
  return fillText(words.own_elsewhere, { ...place, x, own, due });
}

/** A run holds the largest chances only. @param {Case} now @param {Record<string, string>} words */
function lumped(now, words) {
  if (now.beta == null) return "";
  const beta = now.kept(RULES[0]).stays;
  return fillText(words.note_rest, { beta: number(beta, 3), recorded: number(now.beta, 3) });
}

/** @param {Case} now @param {Trial} trial @param {Record<string, string>} words */
function sample({ p }, trial, words) {
  if (!trial.n) return words.nothing;
  return fillText(words.sample, { n: number(trial.n, 0), off: number(offOf(trial, p), 4) });
}

/** χ² with its p-value in words. @param {Case} now @param {Trial} trial @param {Record<string, string>} words */
function test({ names, p }, { n, counts }, words) {
  if (!n) return "";
  const found = chiSquare(counts, p);
  if (found.impossible !== null) {
    return fillText(words.chi_impossible, { x: names[found.impossible], n: number(counts[found.impossible], 0) });
  }
  if (found.p === null) return words.chi_none;
  const { freedom } = found;
  const chi = number(found.chi, found.chi < 1 ? 2 : 1);
  const values = { chi, freedom, s: freedom === 1 ? "" : "s", often: often(found.p, words) };
  return fillText(found.p >= 0.05 ? words.chi_quiet : found.p >= 0.001 ? words.chi_doubt : words.chi_loud, values);
}

/** A probability as a person says it. @param {number} p @param {Record<string, string>} words */
export function often(p, words) {
  if (p < 1e-9) return words.never;
  if (p >= 0.1) return fillText(words.of_hundred, { n: Math.min(99, Math.round(100 * p)) }); // never all of them
  return fillText(words.one_of, { n: number(Number((1 / p).toPrecision(2)), 0) });
}

/**
 * What the rule gives for it; of an exact rule of one's own beside others.
 * @param {Case} now @param {Trial} trial @param {Record<string, string>} words
 */
function price(now, { rule, off }, words) {
  const { stays, tokens } = now.kept(rule);
  const values = {
    tokens: number(tokens, 2),
    stays: stays === null ? "" : fillText(words.stays, { stays: number(stays, 3) }),
  };
  const said = fillText(words.price, values);
  if (rule.right !== null || off >= SAME) return [said];
  const [ratio, best] = ["rejection", "block"].map((name) => {
    const other = RULES.find(({ key }) => key === name);
    return other && number(now.kept(other).tokens, 2);
  });
  return [said, fillText(words.own_price, { ratio, best, which: now.q ? words.best_place : words.best_block })];
}

/** @param {Case} now @param {Trial} trial @param {Record<string, string>} words */
export function table({ names, p }, { n, counts, exact: own }, words) {
  const heads = [words.outcome, words.column_p, words.column_exact, words.column_came, words.column_due];
  const rows = names.map((name, i) => {
    const differs = Math.abs(own[i] - p[i]) > SAME;
    const cells = [
      probability(p[i]),
      `${differs ? "≠ " : ""}${probability(own[i])}`,
      number(counts[i], 0),
      number(n * p[i], 1),
    ];
    return line(name, cells, { "data-differs": differs ? "" : null });
  });
  return tableOf(".sv-table.lab-table.brk-table", heads, rows);
}
