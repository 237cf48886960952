// Easy and hard tokens: a recorded answer, shaded by how sure the target was at each place, then by how sure the draft
// was.

import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { entropiesAt, levelOf, shades } from "../../watch/hardness.js";
import { SPECIAL } from "../../watch/spans.js";
import { PAGE } from "../lesson.js";
import { tokenBox } from "../tokens.js";

/** @import { Answer, Say, View } from "../types.js" */

const [EASY, HARD] = [0, 3]; // levels: almost certain; 1 nat and more

/** @param {Answer} answer @returns {View} */
export function hard({ target, draft, device, temperature, asked, rounds }) {
  const tokens = rounds.flatMap((round) =>
    round.shown
      .filter(({ text, role }) => role !== "unexamined" && !SPECIAL.test(text))
      .map((shown) => ({ box: tokenBox(shown.text, shown.role), ...entropiesAt(round, shown) })),
  );
  const pair = { target: target.name, draft: draft.name, temperature };
  /** @type {Say[]} */
  const says = [
    [PAGE.hard_p, pair],
    [PAGE.hard_easy, tested(rounds, (level) => level === EASY)],
    [PAGE.hard_hard, tested(rounds, (level) => level >= HARD)],
    [PAGE.hard_q, pair],
  ];
  return {
    node: el(
      "div.lrn-hard.sv-stack",
      { "data-hardness": "" },
      el("p", null, fillText(PAGE.hard_asked, { asked })),
      el("div.lrn-flow.sv-flow", null, ...tokens.map(({ box }) => box)),
      shades(),
      el("p.sv-note", null, fillText(PAGE.hard_where, { ...pair, device })),
    ),
    says,
    show(i) {
      for (const { box, p, q } of tokens) {
        const entropy = i === says.length - 1 ? q : p;
        if (entropy === null) delete box.dataset.hard;
        else box.dataset.hard = String(levelOf(entropy));
      }
    },
  };
}

/**
 * Of the guesses that were tested where p was so wide, how many were accepted.
 * @param {Answer["rounds"]} rounds @param {(level: number) => boolean} counts
 */
export function tested(rounds, counts) {
  const there = rounds
    .flatMap(({ drafted }) => drafted)
    .filter(({ position }) => position && counts(levelOf(position.p_entropy)));
  const kept = there.filter(({ verdict }) => verdict === "accepted").length;
  return { kept: number(kept, 0), of: number(there.length, 0) };
}
