// Chain or tree within the same number of guesses: where guesses thin out in recorded runs, and what the fastest of
// each gains on a small machine and on a large one.

import { best, chainOf, fastest, firsts } from "../../picture/shapes.js";
import { bar, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number, percent, times } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { slider } from "../../shared/slider.js";
import { line, table } from "../../shared/table.js";
import { PAGE } from "../lesson.js";

/** @import { Say, Shapes, Stage, View } from "../types.js" */

const FEW = 4;

/** @param {Shapes} shapes @param {Stage} stage @returns {View} */
export function budget({ share, machines, draft }, stage) {
  const rows = el("div.sv-bars");
  const most = Math.min(...machines.map(({ v }) => v.length)) - 1;
  const top = Math.ceil(best(share, most).tokens);
  const budget = slider(PAGE.shape_budget, 1, most, 1, (chosen) => {
    stage.player?.byHand();
    show(chosen);
  });

  /** @param {number} n */
  function show(n) {
    budget.show(n, String(n));
    const written = (/** @type {number} */ tokens) => fillText(PAGE.shape_tokens, { n: number(tokens, 2) });
    const [chain, tree] = [chainOf(share, n).tokens, best(share, n).tokens];
    rows.replaceChildren(
      el("p.sv-note", null, PAGE.shape_pass),
      row(PAGE.shape_chain, bar("draft", chain, top), [written(chain)]),
      row(PAGE.shape_tree, bar("target", tree, top), [written(tree)]),
      ...machines.flatMap((machine) => speeds(machine, n)),
    );
  }

  /** @param {Shapes["machines"][number]} machine @param {number} n */
  function speeds({ device, c, v }, n) {
    const found = { chain: fastest(firsts(share), n, c, v), tree: fastest(share, n, c, v) };
    const head = { device, c: number(c, 2), v: number(v[n], 2), n: n + 1 };
    const drawn = (/** @type {"chain" | "tree"} */ name, /** @type {string} */ series) => {
      const { speed, guesses, passes } = found[name];
      const value = fillText(PAGE.shape_speed, { speed: times(speed), n: guesses, depth: passes });
      return row(PAGE[`shape_${name}`], bar(series, speed, top), [value]);
    };
    return [el("p.sv-note", null, fillText(PAGE.shape_v, head)), drawn("chain", "draft"), drawn("tree", "target")];
  }

  const tokens = (/** @type {number} */ n) => ({
    n,
    chain: number(chainOf(share, n).tokens, 2),
    tree: number(best(share, n).tokens, 2),
  });
  const thin = { draft, first: percent(share[0][0]), second: percent(share[0][1] ?? 0) };
  const says = /** @type {Say[]} */ ([
    [PAGE.shape_is, {}],
    [PAGE.shape_thin, thin],
    [PAGE.shape_few, tokens(Math.min(FEW, most))],
    [PAGE.shape_many, tokens(most)],
    [PAGE.shape_engines, {}],
  ]);
  return {
    node: el("div.lrn-budget.sv-stack", null, thinning(share), budget.root, rows),
    says,
    show: (i) => show(i < 3 ? Math.min(FEW, most) : most),
  };
}

/** How often a guess is accepted where its siblings are tested, a column a depth. @param {number[][]} share */
function thinning(share) {
  const ranks = Math.max(...share.map((found) => found.length));
  const heads = share.map((_, depth) => fillText(PAGE.shape_depth, { n: depth + 1 }));
  const lines = Array.from({ length: ranks }, (_, rank) => {
    const cells = share.map((found) => (found[rank] === undefined ? "" : percent(found[rank])));
    return line(fillText(PAGE.shape_rank, { n: rank + 1 }), cells);
  });
  const frame = { tabindex: 0, role: "group", "aria-label": PAGE.shape_accepted };
  return el("div.sv-scroll", frame, table(".sv-table.lrn-thin", [PAGE.shape_accepted, ...heads], lines));
}
