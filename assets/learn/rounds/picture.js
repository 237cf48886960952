// Chapter 7: every round of a recorded run, replayed with its caches, and the column of what it gave, from 1 token to
// K + 1; and a target whose state cannot be cut.

import { el, setText } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { share } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { ROLES } from "../../shared/words.js";
import { onceABeat } from "../beats.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { roundPicture } from "../round.js";
import { mean, tally, tokensKept } from "../tally.js";
import { views } from "../views.js";
import { stateView } from "./state.js";

/** @import { Role } from "../../shared/types.js" */
/** @import { Cached, Picture, Rounds, Say, Stage, View, Written } from "../types.js" */

const ROUND_MS = 1400;
const SEEN = 0.8; // of them a round is replayed

/** @param {Rounds} excerpt @param {Stage} stage @returns {Picture} */
function rounds({ state, ask, ...excerpt }, stage) {
  const parts = [
    { ...bonus(excerpt), word: PAGE.view_bonus },
    ...(state ? [{ ...stateView(state, ask), word: PAGE.view_state }] : []),
  ];
  return views("lrn-others", parts, ROUND_MS, stage);
}

/** @param {Omit<Rounds, "state" | "ask">} excerpt @returns {View} */
function bonus({ K, rounds: all, drawn, before }) {
  const gave = all.map(tokensKept);
  const tokens = gave.reduce((a, b) => a + b, 0);
  const picture = roundPicture(drawn, before, { mask: false });
  const columns = Array.from({ length: K + 1 }, () => el("div.lrn-stack"));
  const squares = all.map((round, i) => {
    const node = square(round);
    columns[gave[i] - 1].append(node);
    return node;
  });
  const average = el("span");
  const mark = el("div.lrn-mean", null, average);
  const whole = { rounds: all.length, tokens, mean: number(mean(gave), 2) };
  const label = { role: "img", "aria-label": fillText(PAGE.rounds_end, whole) };
  const bins = columns.map((stack, i) =>
    bin(stack, i + 1, i === 0 ? PAGE.rounds_worst : i === K ? PAGE.rounds_best : " "),
  );
  const chart = el("div.lrn-bins", label, bins, mark);
  chart.style.setProperty("--tall", String(Math.max(...tally(gave, K))));
  const count = onceABeat((i) => {
    const at = Math.min(i, all.length - 1);
    const now = mean(gave.slice(0, at + 1));
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
    says: [...all.map(told), [PAGE.rounds_end, whole]],
    show(i, _, t) {
      count(i);
      const at = Math.min(i, drawn.length - 1);
      const { start, end } = drawn[at];
      const gone = i > at ? 1 : Math.min(1, (t - i * ROUND_MS) / (SEEN * ROUND_MS)); // then what is there holds
      picture.show(start + (end - start) * gone, at);
    },
  };
}

/** What a round gave, and what the caches did with it. @param {Cached[]} round @param {number} i @returns {Say} */
function told(round, i) {
  const n = tokensKept(round);
  const held = round.filter(({ target }) => target === "held").length;
  const back = round.filter(({ target }) => target === "back").length;
  if (!back) return [PAGE.rounds_whole, { i: i + 1, n }];
  return [n === 1 ? PAGE.rounds_one : PAGE.rounds_now, { i: i + 1, n, held, back }];
}

/** A round is marked as it ended. @param {Written[]} round */
function square(round) {
  const role = /** @type {Role} */ (round[round.length - 1].role);
  return el("span.lrn-square", { "data-role": role }, ROLES[role].glyph);
}

/** @param {HTMLElement} stack @param {number} n @param {string} note */
function bin(stack, n, note) {
  return el("div.lrn-bin", null, stack, el("span.lrn-bin-n", null, String(n)), el("span.sv-note", null, note));
}

addPicture("rounds", rounds);
