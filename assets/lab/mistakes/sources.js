// What a rule can be tried on: small examples, a made-up language, p and q typed by hand, positions of a run.

import { P, Q, TOKENS } from "../../shared/language.js";
import { drawnSpaces, visible } from "../../shared/tokens.js";
import { position, texts } from "./cases.js";
import { scaled } from "./distributions.js";

/** @import { Picture, Position, Round } from "../../shared/types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Case, Distribution } from "./types.js" */
/** @typedef {{ wrong: PanelKey, values?: Record<string, unknown> }} Wrong a sentence's key, and what fills it in */

const LENGTH = 3; // tokens of a text of the language
export const K = 2; // drafts a round there

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
  return position(lettered(p), p, q);
}

/** @param {Distribution} p */
const lettered = (p) => p.map((_, i) => String.fromCharCode(97 + i));

/** Every text of three tokens of the language of Learn's chapter 8. */
export function language() {
  const numbered = (/** @type {typeof P} */ distributions) => {
    const by = ["", ...TOKENS].map((last) => TOKENS.map((x) => distributions[last][x]));
    return (/** @type {readonly number[]} */ text) => by[text.length ? text[text.length - 1] + 1 : 0];
  };
  return texts(TOKENS, { p: numbered(P), q: numbered(Q) }, LENGTH, K);
}

/**
 * Numbers as they are typed: ".4 .3 .2 .1". What cannot be a distribution is said by the key of a sentence.
 * @param {string} p @param {string} q @returns {Case | Wrong}
 */
export function typedSource(p, q) {
  const [distributions, bad] = [p, q].reduce(
    ([read, wrong], text) => {
      const numbers = text
        .trim()
        .split(/[\s;,]+/)
        .map(Number);
      const sum = numbers.reduce((a, b) => a + b, 0);
      const good = numbers.every((x) => x >= 0 && x <= 1) && Math.abs(sum - 1) <= 0.01;
      return [[...read, numbers.map((x) => x / sum)], wrong || !good];
    },
    [/** @type {Distribution[]} */ ([]), false],
  );
  if (bad) return { wrong: "typed_sum" };
  if (distributions[0].length !== distributions[1].length)
    return { wrong: "typed_length", values: { p: distributions[0].length, q: distributions[1].length } };
  if (distributions[0].length === 1) return { wrong: "typed_one" };
  if (distributions[0].length > 12) return { wrong: "typed_most", values: { n: distributions[0].length } };
  return position(lettered(distributions[0]), distributions[0], distributions[1]);
}

/**
 * @typedef {{ name: string, position: Position | null, bonus: boolean }} Place of a run, by the token that was
 * tested or given there
 */

/** Every position of a run's speculative lane, in order. @param {Picture | null} picture @returns {Place[]} */
export function placesOf(picture) {
  const rounds = picture?.lanes.speculative?.rounds ?? [];
  return rounds.flatMap((round) => [...drafts(round), ...bonus(round)]);
}

/** @param {Round} round @returns {Place[]} */
const drafts = (round) => round.drafted.map((d) => ({ name: named(d.token.text), position: d.position, bonus: false }));

/** @param {Round} round @returns {Place[]} */
const bonus = (round) =>
  round.emitted
    .filter(({ role }) => role === "bonus")
    .map((e) => ({ name: named(e.token.text), position: e.position, bonus: true }));

/**
 * A position as it was recorded: its largest tokens, and all others as one.
 * @param {Place} place @param {string} rest what the others are called @returns {Case | Wrong}
 */
export function recordedSource({ position: at, bonus: given }, rest) {
  if (given) return { wrong: "bonus" };
  if (!at || at.q_rest === null) return { wrong: "unseen" };
  const [p, q] = [at.entries.map((e) => e.p), at.entries.map((e) => e.q ?? 0)];
  const names = at.entries.map((e) => named(e.token.text));
  if (at.p_rest > 0 || at.q_rest > 0) {
    names.push(rest);
    p.push(Math.max(0, 1 - p.reduce((a, b) => a + b, 0)));
    q.push(Math.max(0, 1 - q.reduce((a, b) => a + b, 0)));
  }
  if (names.length < 2) return { wrong: "certain" };
  return { ...position(names, scaled(p), scaled(q)), beta: at.beta };
}

/** @param {string} text */
const named = (text) => visible(text).replace(/^ +| +$/g, drawnSpaces);
