// What a rule can be tried on (small examples, a made-up language, p and q typed by hand, positions of a run), and a rule
// that is drawn from: what came so far, and how its distance from p went; Pearson's χ² of counts against the distribution
// that should have given them, and how often luck alone is so far off.

import { drawnSpaces, visible } from "../../player/dom.js";
import { mulberry, P, Q, TOKENS } from "../../shared/formulas.js";
import { sum } from "../../trace/events.js";
import { distance, normalized, positionCase, samplingChance, textsCase } from "./rules.js";

/** @import { Case, Distribution, Rule } from "../types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Picture, Position, Token } from "../../shared/types.js" */

const FIRST_POINT = 100; // draws before the first point of the curve
const POINT_RATIO = 1.2; // from one point to the next

/** @typedef {ReturnType<typeof makeTrial>} Trial */

const MIN_EXPECTED = 5; // expected of a cell: below that the χ² distribution does not hold, so such cells are one

/** `exact` and `off`: the distribution of the rule itself and its distance from p, by enumeration.
 * @param {Case} testCase @param {Rule} rule @param {number} seed */
export function makeTrial(testCase, rule, seed) {
  const chance = samplingChance(mulberry(seed));
  const exact = testCase.exact(rule);
  let nextPoint = FIRST_POINT;
  const trial = {
    rule,
    n: 0,
    counts: testCase.p.map(() => 0),
    curve: /** @type {[n: number, off: number][]} */ ([]),
    exact,
    off: distance(exact, testCase.p),
    /** @param {number} draws */
    draw(draws) {
      const end = trial.n + draws;
      while (trial.n < end) {
        for (; trial.n < Math.min(end, nextPoint); trial.n++) trial.counts[testCase.draw(rule, chance)] += 1;
        if (trial.n < nextPoint) break;
        trial.curve.push([trial.n, distanceFromP(trial, testCase.p)]);
        nextPoint = Math.ceil(nextPoint * POINT_RATIO);
      }
    },
  };
  return trial;
}

/** How far what came is from p. @param {Pick<Trial, "n" | "counts">} trial @param {Distribution} p */
export function distanceFromP({ n, counts }, p) {
  const shares = counts.map((k) => k / n);
  return distance(shares, p);
}

/** How far n draws of p itself are from it in the mean: ½ Σ E|k/n − p|, each k as good as normal.
 * @param {Distribution} p @param {number} n */
export function expectedDistance(p, n) {
  return p.reduce((sum, x) => sum + Math.sqrt((2 * x * (1 - x)) / (Math.PI * n)), 0) / 2;
}

/** `impossible`: the first outcome that came though its chance is 0; then there is nothing to test. `p` is null where
 * one cell is left.
 * @param {readonly number[]} counts @param {Distribution} p
 * @returns {{ impossible: number | null, chi: number, freedom: number, p: number | null }} */
export function chiSquare(counts, p) {
  const n = sum(counts);
  const impossible = counts.findIndex((k, i) => k > 0 && p[i] < 1e-15);
  if (impossible >= 0) return { impossible, chi: Number.POSITIVE_INFINITY, freedom: 0, p: 0 };
  const cells = mergeSmallCells(counts.map((observed, i) => ({ observed, expected: n * p[i] })));
  const chi = sum(cells.map(({ observed, expected }) => (observed - expected) ** 2 / expected));
  const freedom = cells.length - 1;
  return { impossible: null, chi, freedom, p: freedom > 0 ? upperGamma(freedom / 2, chi / 2) : null };
}

/** @param {{ observed: number, expected: number }[]} cells */
function mergeSmallCells(cells) {
  const sorted = cells.filter(({ expected }) => expected > 0).sort((a, b) => a.expected - b.expected);
  while (sorted.length > 1 && sorted[0].expected < MIN_EXPECTED) {
    const [smallest, next] = sorted.splice(0, 2);
    sorted.push({ observed: smallest.observed + next.observed, expected: smallest.expected + next.expected });
    sorted.sort((a, b) => a.expected - b.expected);
  }
  return sorted;
}

/**
 * The regularised upper incomplete gamma function Q(a, x): series below a + 1, continued fraction above (Abramowitz and
 * Stegun 6.5.29 and 6.5.31).
 * @param {number} a @param {number} x
 */
export function upperGamma(a, x) {
  if (x <= 0) return 1;
  const scale = Math.exp(-x + a * Math.log(x) - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 1000 && term > sum * 1e-16; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return Math.max(0, 1 - sum * scale);
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 1000; n++) {
    const step = -n * (n - a);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return scale * fraction;
}

/** ln Γ of half of a whole number above 0, by Γ(a + 1) = a·Γ(a). @param {number} a */
function logGamma(a) {
  let sum = a % 1 ? Math.log(Math.PI) / 2 : 0;
  for (let k = a % 1 ? 0.5 : 1; k < a - 1e-9; k++) sum += Math.log(k);
  return sum;
}

/** @typedef {{ wrong: PanelKey, values?: Record<string, unknown> }} Wrong a sentence's key, and what fills it in */

const TEXT_LENGTH = 3; // tokens of a text of the language
const K = 2; // drafts a round there

/**
 * The running example of the papers' readers, and a position where p rules a token out.
 * @type {Record<string, [p: Distribution, q: Distribution]>}
 */
export const EXAMPLES = {
  example: [
    [0.4, 0.3, 0.2, 0.1],
    [0.7, 0.15, 0.1, 0.05],
  ],
  zero: [
    [0, 0.5, 0.3, 0.2],
    [0.5, 0.2, 0.2, 0.1],
  ],
};

/** @param {keyof typeof EXAMPLES} name */
export function example(name) {
  const [p, q] = EXAMPLES[name];
  return positionCase(letterNames(p), p, q);
}

/** @param {Distribution} p */
const letterNames = (p) => p.map((_, i) => String.fromCharCode(97 + i));

/** Every text of three tokens of the language of Learn's chapter 8. */
export function language() {
  const model = (/** @type {typeof P} */ distributions) => {
    const rows = ["", ...TOKENS].map((last) => TOKENS.map((x) => distributions[last][x]));
    return (/** @type {readonly number[]} */ text) => rows[text.length ? text[text.length - 1] + 1 : 0];
  };
  return textsCase(TOKENS, { p: model(P), q: model(Q) }, TEXT_LENGTH, K);
}

/** Numbers as they are typed: ".4 .3 .2 .1". What cannot be a distribution is said by the key of a sentence.
 * @param {string} p @param {string} q @returns {Case | Wrong} */
export function typedSource(p, q) {
  const lists = [p, q].map((text) =>
    text
      .trim()
      .split(/[\s;,]+/)
      .map(Number),
  );
  if (!lists.every(addsUpToOne)) return { wrong: "typed_sum" };
  const [typed_p, typed_q] = lists.map(normalized);
  const n = typed_p.length;
  if (n !== typed_q.length) return { wrong: "typed_length", values: { p: n, q: typed_q.length } };
  if (n === 1) return { wrong: "typed_one" };
  if (n > 12) return { wrong: "typed_most", values: { n } };
  return positionCase(letterNames(typed_p), typed_p, typed_q);
}

/** @param {number[]} numbers */
const addsUpToOne = (numbers) => numbers.every((x) => x >= 0 && x <= 1) && Math.abs(sum(numbers) - 1) <= 0.01;

/**
 * @typedef {{ name: string, position: Position | null, bonus: boolean }} Place of a run, by the token that was
 * tested or given there
 */

/** Every position of a run's speculative lane, in order. @param {Picture | null} picture @returns {Place[]} */
export function placesOf(picture) {
  const rounds = picture?.lanes.speculative?.rounds ?? [];
  return rounds.flatMap(({ drafted, emitted }) => [
    ...drafted.map((draft) => placeOf(draft, false)),
    ...emitted.filter(({ role }) => role === "bonus").map((added) => placeOf(added, true)),
  ]);
}

/** @param {{ token: Token, position: Position | null }} recorded @param {boolean} bonus @returns {Place} */
const placeOf = ({ token, position }, bonus) => ({ name: tokenName(token.text), position, bonus });

/** A position as it was recorded: its largest tokens, and all others as one.
 * @param {Place} place @param {string} rest what the others are called @returns {Case | Wrong} */
export function recordedSource({ position, bonus }, rest) {
  if (bonus) return { wrong: "bonus" };
  if (!position || position.q_rest === null) return { wrong: "unseen" };
  const [p, q] = [position.entries.map((e) => e.p), position.entries.map((e) => e.q ?? 0)];
  const names = position.entries.map((e) => tokenName(e.token.text));
  if (position.p_rest > 0 || position.q_rest > 0) {
    names.push(rest);
    p.push(Math.max(0, 1 - sum(p)));
    q.push(Math.max(0, 1 - sum(q)));
  }
  if (names.length < 2) return { wrong: "certain" };
  return { ...positionCase(names, normalized(p), normalized(q)), beta: position.beta };
}

/** @param {string} text */
const tokenName = (text) => visible(text).replace(/^ +| +$/g, drawnSpaces);
