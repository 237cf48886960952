// A target with layers that keep a state, which cannot be cut: a recorded round with a rejection, one without, and what
// copying and reading again cost.

import { bar, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";
import { predict } from "../question.js";
import { roundPicture } from "../round.js";

/** @import { Question, Say, State, StateCost, View } from "../types.js" */

const BEAT_MS = 5500;

/** @param {State} state @param {Question} ask @returns {View & { each: number }} */
export function stateView(state, ask) {
  const { target, layers, states, drawn, before, cost } = state;
  const [rejects, whole] = drawn;
  const picture = roundPicture(drawn, before, { mask: false, states: true });
  const { head, choices, told } = predict(ask);
  const asked = el("section.lrn-question", { "aria-label": PAGE.predict }, head, choices, told);
  const bars = cost && costs(state, cost);
  const says = /** @type {Say[]} */ ([
    [PAGE.state_pass, { states, layers, target: target.name, read: 1 + rejects.drafted.length }],
    [PAGE.state_again, { n: rejects.target_cache?.replayed }],
    [PAGE.state_whole, {}],
  ]);
  if (cost) {
    const [rejected, speedup, cut] = [cost.rejected, cost.speedup, cost.cut].map((value) => number(value, 2));
    says.push([PAGE.state_cost, { rejected, speedup, cut }]);
  }
  return {
    each: BEAT_MS,
    node: el("div.lrn-bonus.lrn-state.sv-stack", null, asked, picture.root, bars),
    says,
    show(i) {
      asked.hidden = i > 1;
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
function costs({ target, draft, device }, { copy, again }) {
  const top = Math.max(1, copy, ...again.map(({ passes }) => passes));
  const drawn = (/** @type {string} */ name, /** @type {number} */ passes) =>
    row(name, bar("target", passes, top), [fillText(PAGE.state_passes, { passes: number(passes, 2) })]);
  const rounds = again.reduce((sum, one) => sum + one.rounds, 0);
  return el(
    "div.sv-bars",
    null,
    el("p.sv-note", null, fillText(PAGE.state_costs, { target: target.name, draft: draft.name, device, rounds })),
    row(PAGE.state_cut, [], [PAGE.state_cut_value]),
    drawn(PAGE.state_copy, copy),
    ...again.map(({ n, passes }) => drawn(fillText(PAGE.state_read, { n }), passes)),
  );
}
