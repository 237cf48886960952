// Chain or tree at one recorded position: so many of the draft's guesses as the slider says, and what the target thinks
// of each.

import { speedOf } from "../../picture/shapes.js";
import { bar, row } from "../../shared/bars.js";
import { el, setText } from "../../shared/dom.js";
import { number, times } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { slider } from "../../shared/slider.js";
import { spoken } from "../../shared/spoken.js";
import { PAGE } from "../lesson.js";
import { positions as choose } from "../positions.js";
import { roundPicture } from "../round.js";

/** @import { Guess, Say, Shapes, Stage, View } from "../types.js" */

const KINDS = /** @type {const} */ (["chain", "tree"]);
const SERIES = { chain: "draft", tree: "target" };
const FEW = 4;

/** @param {Shapes} shapes @param {Stage} stage @returns {View} */
export function atOnePosition({ machines, positions, of }, stage) {
  const most = positions[0].chain.length;
  const top = Math.ceil(Math.max(...positions.flatMap((one) => KINDS.map((kind) => shapeOf(one[kind], most).tokens))));
  const last = positions.map((one) => one.last);
  const shown = KINDS.map((kind) => ({
    kind,
    bars: el("div.sv-bars"),
    picture: roundPicture(
      positions.map((one) => roundOf(one[kind])),
      last,
      { mask: false, caches: false },
    ),
  }));
  const names = { chain: PAGE.position_a_chain, tree: PAGE.position_a_tree };
  const notes = machines.map(() => el("p.sv-note"));
  let at = 0;
  let n = most;
  const words = [PAGE.position_unsure, PAGE.position_sure];
  const choice = choose("lrn-guessed", words, at, (i) => moved(i, n));
  const budget = slider(PAGE.shape_budget, 1, most, 1, (guesses) => moved(at, guesses));

  /** @param {number} position @param {number} guesses */
  function moved(position, guesses) {
    stage.player?.byHand();
    show(position, guesses);
  }

  /** @param {number} position @param {number} guesses */
  function show(position, guesses) {
    [at, n] = [position, guesses];
    choice.show(at);
    budget.show(n, String(n));
    for (const { kind, bars, picture } of shown) {
      const { tokens, passes } = shapeOf(positions[at][kind], n);
      const value = fillText(PAGE.position_gives, { tokens: number(tokens, 2), passes });
      bars.replaceChildren(row(names[kind], [bar(SERIES[kind], tokens, top)], [value]));
      picture.show(n + 0.5, at);
    }
    for (const [i, { device, c, v }] of machines.entries()) {
      const fast = KINDS.map((kind) => [kind, times(speedOf(shapeOf(positions[at][kind], n), c, v[n]))]);
      setText(notes[i], fillText(PAGE.position_speed, { device, ...Object.fromEntries(fast) }));
    }
  }

  const told = (/** @type {number} */ i, /** @type {number} */ guesses) => ({
    of,
    n: guesses,
    last: spoken(last[i]),
    ...Object.fromEntries(KINDS.map((kind) => [kind, number(shapeOf(positions[i][kind], guesses).tokens, 2)])),
  });
  const beats = /** @type {[string, number, number][]} */ ([
    [PAGE.position_chosen, 0, FEW],
    [PAGE.position_tree, 0, most],
    [PAGE.position_chain, 1, most],
    [PAGE.position_exact, 0, most],
  ]);
  return {
    node: el(
      "div.lrn-guesses.sv-stack",
      null,
      choice.root,
      budget.root,
      ...shown.flatMap(({ bars, picture }) => [bars, picture.root]),
      notes,
    ),
    says: beats.map(([sentence, i, guesses]) => /** @type {Say} */ ([sentence, told(i, guesses)])),
    show: (i) => show(beats[i][1], beats[i][2]),
  };
}

/** The guesses in the order in which a larger budget takes them: the likeliest first, by the draft's own chances.
 * @param {Guess[]} guesses */
export function orderByChance(guesses) {
  const chances = along(guesses, "q");
  return guesses.map((_, i) => i).sort((a, b) => chances[b] - chances[a] || a - b);
}

/**
 * Tokens of a round with the n likeliest guesses, on average, and the passes of the draft that they take. A guess
 * counts as often as the target accepts the path to it; one more token always comes.
 * @param {Guess[]} guesses @param {number} n
 */
export function shapeOf(guesses, n) {
  const chances = along(guesses, "p");
  const deep = /** @type {number[]} */ ([]);
  for (const { parent } of guesses) deep.push(parent < 0 ? 1 : deep[parent] + 1);
  const here = orderByChance(guesses).slice(0, n);
  return { tokens: here.reduce((sum, i) => sum + chances[i], 1), passes: Math.max(0, ...here.map((i) => deep[i])) };
}

/** The product of chances along the path to each guess. @param {Guess[]} guesses @param {"p" | "q"} of */
function along(guesses, of) {
  const found = /** @type {number[]} */ ([]);
  for (const guess of guesses) found.push(guess[of] * (guess.parent < 0 ? 1 : found[guess.parent]));
  return found;
}

/** As a round in which a guess is there from its place on, and the target's pass reads all that are.
 * @param {Guess[]} guesses @returns {import("../../shared/types.js").Round} */
function roundOf(guesses) {
  const order = orderByChance(guesses);
  const never = guesses.length + 2;
  const drafted = guesses.map(({ text, parent, p, q }, i) => ({
    token: { id: i, text, partial: false },
    ...{ p, q, ratio: null, u: null, verdict: /** @type {const} */ ("unexamined"), position: null },
    ...{ parent, rank: i, at: order.indexOf(i) + 1, decided: never },
  }));
  const clock = { start: 0, drafted_at: 0, verified_at: 0, decided_at: never, end: never };
  const times = { draft: null, verify: null, decide: null, rest: 0, observe: 0 };
  const none = { residual: null, target_cache: null, draft_cache: null, target_forwards: 1, draft_forwards: null };
  return { index: 0, ...clock, times, drafted, emitted: [], ...none, asked: null, fewer: null, shown: [] };
}
