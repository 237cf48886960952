// Three tokens, a, b and c, whose p and q can be moved: which rule keeps most where.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { slider } from "../../shared/slider.js";
import { onceABeat } from "../beats.js";
import { PAGE } from "../lesson.js";
import { chancesOf, largest, shiftMass } from "./chances.js";
import { makeMatrix } from "./matrix.js";

/** @import { Say, Stage, View } from "../types.js" */

/** @typedef {{ p: number[], q: number[] }} Both */

const NAMES = ["a", "b", "c"];
/** The draft is the surer one; the target is; they prefer different tokens. @type {Both[]} */
export const SHOWN = [
  { p: [0.4, 0.35, 0.25], q: [0.7, 0.2, 0.1] },
  { p: [0.9, 0.05, 0.05], q: [0.4, 0.3, 0.3] },
  { p: [0.3, 0.5, 0.2], q: [0.5, 0.4, 0.1] },
];

/** @param {Stage} stage @returns {View} */
export function trio(stage) {
  const tokens = el("div.sv-bars");
  const matrix = makeMatrix();
  let now = SHOWN[0];
  const hands = ["p", "q"].flatMap((of) =>
    [0, 1].map((i) => hand(/** @type {"p" | "q"} */ (of), /** @type {0 | 1} */ (i))),
  );

  /** @param {"p" | "q"} of @param {0 | 1} i */
  function hand(of, i) {
    const moved = (/** @type {number} */ value) => {
      stage.player?.byHand();
      draw({ ...now, [of]: shiftMass(now[of], i, value) });
    };
    return { of, i, slider: slider(`${of}(${NAMES[i]})`, 0, 1, 0.01, moved) };
  }

  /** @param {Both} both */
  function draw(both) {
    now = both;
    const { p, q } = both;
    const rows = NAMES.map((name, i) => {
      const bars = [bar("shared", Math.min(p[i], q[i]), 1), bar("p", p[i], 1), bar("q", q[i], 1)];
      return row(name, bars, [fillText(PAGE.pq, { p: number(p[i], 2), q: number(q[i], 2) })], i === largest(q));
    });
    tokens.replaceChildren(...rows);
    for (const { of, i, slider } of hands) slider.show(both[of][i], number(both[of][i], 2));
    matrix.show(chancesOf(p, q));
  }

  const sentences = [PAGE.trio_draft, PAGE.trio_target, PAGE.trio_apart];
  return {
    node: el(
      "div.lrn-rules.sv-stack",
      null,
      legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared], ["best", PAGE.rule_best]),
      tokens,
      el("div.lrn-sliders.sv-flow", null, ...hands.map(({ slider }) => slider.root)),
      matrix.root,
      el("p.sv-note", null, PAGE.rule_block),
    ),
    says: sentences.map((sentence, i) => /** @type {Say} */ ([sentence, told(SHOWN[i])])),
    show: onceABeat((i) => draw(SHOWN[i])),
  };
}

/** @param {Both} both */
function told({ p, q }) {
  const { rejection, argmax } = chancesOf(p, q);
  return { rejection: number(rejection, 2), argmax: number(argmax, 2), x: NAMES[largest(q)] };
}
