// What a rule can be tried on: small examples, a made-up language, p and q typed by hand, positions of a run.

import { P, Q, TOKENS } from "../../shared/language.js";
import { drawnSpaces, visible } from "../../shared/tokens.js";
import { sum } from "../../trace/events.js";
import { positionCase, textsCase } from "./cases.js";
import { normalized } from "./distributions.js";

/** @import { Picture, Position, Token } from "../../shared/types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Case, Distribution } from "./types.js" */
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

/**
 * Numbers as they are typed: ".4 .3 .2 .1". What cannot be a distribution is said by the key of a sentence.
 * @param {string} p @param {string} q @returns {Case | Wrong}
 */
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

/**
 * A position as it was recorded: its largest tokens, and all others as one.
 * @param {Place} place @param {string} rest what the others are called @returns {Case | Wrong}
 */
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
