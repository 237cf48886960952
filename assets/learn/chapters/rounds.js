// Every round of a recorded run, replayed with its caches, and the column of what it gave, from 1 token to
// K + 1; and a target whose state cannot be cut.

import { bar, el, row, setText, share } from "../../player/dom.js";
import { fillText, number, ROLES, rounded } from "../../player/words.js";
import { sum } from "../../trace/events.js";
import { PAGE } from "../lesson.js";
import { onceABeat, roundPicture, views } from "../picture.js";
import { prediction } from "../question.js";

/** @import { Role } from "../../shared/types.js" */
/** @import { CachedToken, Picture, Question, Rounds, Sentence, Stage, State, StateCost, TextToken,
 * View } from "../types.js" */

const ROUND_MS = 1400;
const REPLAY_SHARE = 0.8; // of ROUND_MS: then what is there holds
const BEAT_MS = 5500;

/** @param {Rounds} excerpt @param {Stage} stage @returns {Picture} */
export function rounds({ state, ask, ...excerpt }, stage) {
  const parts = [
    { ...bonusView(excerpt), word: PAGE.view_bonus },
    ...(state ? [{ ...stateView(state, ask), word: PAGE.view_state }] : []),
  ];
  return views("lrn-others", parts, ROUND_MS, stage);
}

/** @param {Omit<Rounds, "state" | "ask">} excerpt @returns {View} */
function bonusView({ K, rounds: all, drawn, before }) {
  const tokensByRound = all.map(tokensKept);
  const tokens = sum(tokensByRound);
  const picture = roundPicture(drawn, before, { mask: false });
  const columns = Array.from({ length: K + 1 }, () => el("div.lrn-stack"));
  const squares = all.map((round, i) => {
    const node = square(round);
    columns[tokensByRound[i] - 1].append(node);
    return node;
  });
  const average = el("span");
  const mark = el("div.lrn-mean", null, average);
  const totals = { rounds: all.length, tokens, mean: number(tokens / all.length, 2) };
  const label = { role: "img", "aria-label": fillText(PAGE.rounds_end, totals) };
  const bins = columns.map((stack, i) => bin(stack, i + 1, i === 0 ? PAGE.rounds_worst : i === K ? PAGE.rounds_best : " "));
  const chart = el("div.lrn-bins", label, bins, mark);
  chart.style.setProperty("--tall", String(Math.max(...columns.map((column) => column.childElementCount))));
  const count = onceABeat((i) => {
    const at = Math.min(i, all.length - 1);
    const now = sum(tokensByRound.slice(0, at + 1)) / (at + 1);
    squares.forEach((node, k) => {
      node.toggleAttribute("data-on", k <= at);
      node.toggleAttribute("data-now", k === at && i < all.length);
    });
    mark.style.left = share(now - 0.5, K + 1);
    mark.dataset.side = now > (K + 1) * 0.7 ? "left" : "right";
    setText(average, fillText(PAGE.rounds_mean, { mean: number(now, 2) }));
  });
  return {
    node: el("div.lrn-bonus", null, picture.root, chart, el("p.sv-note.lrn-centre", null, PAGE.rounds_axis)),
    sentences: [...all.map(roundSentence), [PAGE.rounds_end, totals]],
    show(i, _, t) {
      count(i);
      const at = Math.min(i, drawn.length - 1);
      const { start, end } = drawn[at];
      const progress = i > at ? 1 : Math.min(1, (t - i * ROUND_MS) / (REPLAY_SHARE * ROUND_MS));
      picture.show(start + (end - start) * progress, at);
    },
  };
}

/** Tokens of a round that stayed. @param {TextToken[]} round */
const tokensKept = (round) => round.filter(({ role }) => role !== "rejected" && role !== "unexamined").length;

/** A round's tokens, and what the caches did with them.
 * @param {CachedToken[]} round @param {number} i @returns {Sentence} */
function roundSentence(round, i) {
  const n = tokensKept(round);
  const cached = round.filter(({ target }) => target === "held").length;
  const dropped = round.filter(({ target }) => target === "back").length;
  if (!dropped) return [PAGE.rounds_whole, { i: i + 1, n }];
  return [n === 1 ? PAGE.rounds_one : PAGE.rounds_now, { i: i + 1, n, cached, dropped }];
}

/** A round is marked as it ended. @param {TextToken[]} round */
function square(round) {
  const role = /** @type {Role} */ (round[round.length - 1].role);
  return el("span.lrn-square", { "data-role": role }, ROLES[role].glyph);
}

/** @param {HTMLElement} stack @param {number} n @param {string} note */
function bin(stack, n, note) {
  return el("div.lrn-bin", null, stack, el("span.lrn-bin-n", null, String(n)), el("span.sv-note", null, note));
}

/** A target with layers that keep a state: a recorded round with a rejection, one without, and what copying and reading
 * again cost. @param {State} state @param {Question} question @returns {View & { beatMs: number }} */
function stateView(state, question) {
  const { target, layers, states, drawn, before, cost } = state;
  const [rejects, whole] = drawn;
  const picture = roundPicture(drawn, before, { mask: false, states: true });
  const { head, choices, reason } = prediction(question);
  const questionSection = el("section.lrn-question", { "aria-label": PAGE.predict }, head, choices, reason);
  const bars = cost && costRows(state, cost);
  const sentences = /** @type {Sentence[]} */ ([
    [PAGE.state_pass, { states, layers, target: target.name, read: 1 + rejects.drafted.length }],
    [PAGE.state_again, { n: rejects.target_cache?.replayed }],
    [PAGE.state_whole, {}],
  ]);
  if (cost) {
    const { rejected, speedup, cut } = cost;
    sentences.push([PAGE.state_cost, rounded({ rejected, speedup, cut })]);
  }
  return {
    beatMs: BEAT_MS,
    node: el("div.lrn-bonus.lrn-state.sv-stack", null, questionSection, picture.root, bars),
    sentences,
    show(i) {
      questionSection.hidden = i > 1;
      picture.root.hidden = i > 2;
      if (bars) bars.hidden = i < 3;
      if (i === 0)
        picture.show(rejects.verified_at, 0); // before any verdict
      else if (i === 1) picture.show(rejects.end, 0);
      else picture.show(whole.end, 1);
    },
  };
}

/** @param {State} state @param {StateCost} cost */
function costRows({ target, draft, device }, { copy, again }) {
  const top = Math.max(1, copy, ...again.map(({ passes }) => passes));
  const passesRow = (/** @type {string} */ name, /** @type {number} */ passes) =>
    row(name, bar("target", passes, top), [fillText(PAGE.state_passes, { passes: number(passes, 2) })]);
  const rounds = again.reduce((sum, one) => sum + one.rounds, 0);
  return el(
    "div.sv-bars",
    null,
    el("p.sv-note", null, fillText(PAGE.state_costs, { target: target.name, draft: draft.name, device, rounds })),
    row(PAGE.state_cut, [], [PAGE.state_cut_value]),
    passesRow(PAGE.state_copy, copy),
    ...again.map(({ n, passes }) => passesRow(fillText(PAGE.state_read, { n }), passes)),
  );
}
