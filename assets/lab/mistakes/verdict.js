// What has come, in sentences (how far off, what the rule's own distribution is, how often luck would do that) and as bars:
// one for each outcome, p as a line with what luck allows around it, the rule's own distribution as a rhomb. And how far
// from p, by the number of draws, both by powers of ten: a right rule goes on falling like 1/√n, a wrong one stops.

import { area, bands, between, curve, logarithmic, note, rule } from "../../chart/chart.js";
import { line, scaleTop, shape, shortenName, table } from "../../player/dom.js";
import { fillText, number, probability } from "../../player/words.js";
import { errorSentence, LETTERS, overAcceptedToken, PAIRS, TOLERANCE } from "./own.js";
import { largest, RULES } from "./rules.js";
import { chiSquare, distanceFromP, expectedDistance } from "./trial.js";

/** @import { Key, Mark, Plane } from "../../chart/types.js" */
/** @import { Trial } from "./trial.js" */
/** @import { Case, Counterexample, Distribution } from "../types.js" */

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

/** Of a rule of one's own: whether another correction would give p, or whether it gives p elsewhere too.
 * @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words */
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

/** What the rule gives for it; of an exact rule of one's own beside others.
 * @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words */
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
    const apart = Math.abs(exact_p[i] - p[i]);
    const differs = apart > TOLERANCE;
    // what differs by less than three decimals show has as many as it takes
    const isFine = differs && probability(p[i]) === probability(exact_p[i]);
    const [due, own] = [p[i], exact_p[i]].map((x) => (isFine ? number(x, 1 - Math.floor(Math.log10(apart))) : probability(x)));
    const cells = [due, `${differs ? "≠ " : ""}${own}`, number(counts[i], 0), number(n * p[i], 1)];
    return line(name, cells, { "data-differs": differs ? "" : null });
  });
  return table(".sv-table.lab-table.brk-table", heads, rows);
}

const NOISE_SIGMAS = 2; // 19 of 20 samples of a right rule lie within
const NAME_LETTERS = 15; // letters of an outcome's name
const VALUE_PX = 54; // px for the number at the end of a row

/** Its rows, and what stands between its axes. @param {Case} testCase @param {Trial} trial @param {number} width
 * @param {Record<string, string>} words @returns {Omit<Plane, "frame"> & { rows: number }} */
export function barsPlane({ names, p }, { n, counts, exact }, width, words) {
  const luck = p.map((x) => NOISE_SIGMAS * Math.sqrt((x * (1 - x)) / Math.max(1, n)));
  const observed = counts.map((k) => k / Math.max(1, n));
  const upper = p.map((each, i) => Math.min(1, each + luck[i]));
  const marks = names.flatMap((name, i) => [
    area(
      { x0: 0, x1: observed[i], ...rowSpan(i, 0.3) },
      { series: "target", kind: "half", sentences: [`${name}: ${number(observed[i], 3)}.`] },
    ),
    area({ x0: Math.max(0, p[i] - luck[i]), x1: upper[i], ...rowSpan(i, 0.09) }, { kind: "half" }),
    curve(
      [i - 0.45, i + 0.45].map((y) => ({ x: p[i], y })),
      { kind: "own" },
    ),
    /** @type {Mark} */ ({ draw: (plot) => [diamond(plot.x(exact[i]), plot.y(i))] }),
    note({ y: i }, number(observed[i], 3), { dx: VALUE_PX, dy: 5, anchor: "end", kind: "tick" }),
  ]);
  const x = between(0, scaleTop([...observed, ...exact, ...upper]), []);
  const margin = { left: Math.min(118, 8 + 0.26 * width), right: VALUE_PX, bottom: 0 };
  const y = bands(names.map((name) => shortenName(name, NAME_LETTERS)));
  const row = names.length > 12 ? 18 : names.length > 6 ? 26 : 36;
  return { title: words.bars, keys: legendKeys(words), margin, x, y, marks, rows: row * names.length };
}

/** @param {number} i @param {number} half of the row's height */
const rowSpan = (i, half) => ({ y0: i - half, y1: i + half });

/** What each mark means. @param {Record<string, string>} words @returns {Key[]} */
function legendKeys(words) {
  const box = (/** @type {number} */ height, /** @type {string | null} */ series) =>
    shape("rect", {
      ...{ x: 0, y: -height / 2, width: 14, height },
      ...{ class: "sv-chart-area", "data-kind": "half", "data-series": series },
    });
  const stroke = { class: "sv-chart-curve", "data-kind": "own", points: "7,-7 7,7" };
  return [
    { sign: box(9, "target"), word: words.came },
    { sign: shape("polyline", stroke), word: words.key_p },
    { sign: box(6, null), word: words.key_luck },
    { sign: diamond(7, 0), word: words.key_exact },
  ];
}

/** @param {number} x @param {number} y */
const diamond = (x, y) => shape("path", { d: `M${x} ${y - 6}l5 6l-5 6l-5 -6z`, class: "brk-exact" });

/** @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words @returns {Omit<Plane, "frame">} */
export function distancePlane({ p }, { n, counts, curve: distances, off }, words) {
  const maxDraws = 10 ** Math.max(4, Math.ceil(Math.log10(Math.max(1, n))));
  const lowest = Math.min(expectedDistance(p, maxDraws) || 1e-4, ...distances.map(([, y]) => y || 1)) / 1.5;
  const last = n > 100 ? [[n, distanceFromP({ n, counts }, p)]] : [];
  const points = [...distances, ...last].map(([x, y]) => ({ x, y }));
  const luck = [100, maxDraws].map((x) => ({ x, y: expectedDistance(p, x) }));
  const stops = fillText(words.stops, { off: number(off, 3) });
  const marks = [
    ...(luck[0].y > 0
      ? [curve(luck, { kind: "same" }), note({ x: 100, y: 0 }, words.root, { dx: 8, dy: -8, kind: "tick" })]
      : []),
    ...(off > 1e-9
      ? [rule({ y: off }, { kind: "stop" }), note({ y: off }, stops, { dx: -2, dy: -6, anchor: "end", kind: "stop" })]
      : []),
    curve(points, { series: "target", kind: "strong", name: words.falling }),
  ];
  const x = { ...logarithmic(100, maxDraws, words.draws_axis, powerText), lines: false };
  return { title: words.falling, x, y: logarithmic(10 ** Math.floor(Math.log10(lowest)), 1), marks };
}

/** @param {number} n a power of ten */
const powerText = (n) => (n >= 1e6 ? `${n / 1e6}M` : n >= 1000 ? `${n / 1000}k` : String(n));
