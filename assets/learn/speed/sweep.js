// The speedup for every α and K by the formula, at a c and a v that can be moved, with this pair's own point.

import { button } from "../../shared/controls.js";
import { el } from "../../shared/dom.js";
import { bestOf, speedupOf } from "../../shared/formula.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { slider } from "../../shared/slider.js";
import { onceABeat } from "../beats.js";
import { PAGE } from "../lesson.js";
import { makeMap } from "../map.js";

/** @import { Cost } from "../../shared/formula.js" */
/** @import { Costs, Pair, Say, Stage, View } from "../types.js" */

const SWEEP = [0.01, 0.05, 0.2, 0.4, 0.8];
const DEAREST = 6; // a check that a slider reaches

/** @param {Pair & Costs} pair @param {Stage} stage @returns {View} */
export function sweep(pair, stage) {
  const alpha = pair.alpha ?? 0;
  const at = pair.K;
  const own = { c: pair.c || 0, v: Math.max(1, pair.v || 1), at };
  const map = makeMap(alpha, at);
  const here = el("p.lrn-here.lrn-own", null, fillText(PAGE.map_here, told(pair)));
  const sliders = {
    c: slider(PAGE.map_c, 0, 1, 0.005, (c) => byHand({ ...now, c })),
    v: slider(fillText(PAGE.map_v, { K: at }), 1, DEAREST, 0.01, (v) => byHand({ ...now, v })),
  };
  const back = button(PAGE.map_reset, () => byHand(own));
  let now = own;

  function change(/** @type {Cost} */ to) {
    now = to;
    sliders.c.show(to.c, number(to.c, 2));
    sliders.v.show(to.v, number(to.v, 2));
    map.show(to, to.c !== own.c || to.v !== own.v);
  }

  function byHand(/** @type {Cost} */ to) {
    stage.player?.byHand();
    change(to);
  }

  const says = [...SWEEP, own.c].map((c, i) => sentence(pair, { ...own, c }, i === SWEEP.length));
  const notes = [PAGE.map_slower, PAGE.map_best, PAGE.map_v_note].join(" · ");
  return {
    node: el(
      "div.lrn-speed.sv-stack",
      null,
      el("p.lrn-here.lrn-centre", null, PAGE.map_formula),
      el("div.lrn-map-box", null, map.root, el("p.sv-note.lrn-centre", null, PAGE.map_alpha)),
      here,
      el("div.lrn-sliders.sv-flow", null, sliders.c.root, sliders.v.root, back),
      el("p.sv-note", null, notes),
    ),
    says,
    show: onceABeat((i) => change({ ...own, c: i < SWEEP.length ? SWEEP[i] : own.c })),
  };
}

/** @param {Pair & Costs} pair @param {Cost} cost @param {boolean} last @returns {Say} */
function sentence({ alpha }, cost, last) {
  const { c, v } = cost;
  if (last) return [PAGE.speed_here, { c: number(c, 2), v: number(v, 2) }];
  const K = bestOf(alpha ?? 0, cost);
  const speedup = speedupOf(alpha ?? 0, K, cost);
  const values = { c: number(c, c < 0.1 ? 2 : 1), alpha: number(alpha, 2), K, speedup: number(speedup, 2) };
  return [speedup > 1 ? PAGE.speed_step : PAGE.speed_none, values];
}

/** This pair's own point. @param {Pair & Costs} pair */
function told({ temperature, alpha, K, c, v }) {
  return { T: temperature, K, alpha: number(alpha, 2), c: number(c, 2), v: number(v, 2) };
}
