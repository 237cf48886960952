// Draws by the algorithm, one token after the other, counted by the way they came.

import { button } from "../../shared/controls.js";
import { el, setText, still } from "../../shared/dom.js";
import { probability } from "../../shared/numbers.js";
import { mulberry } from "../../shared/random.js";
import { fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";

/** @import { Distribution, Part, Stage } from "../types.js" */

/** @typedef {() => number} Uniform gives a number on [0, 1) */
/**
 * Tokens by the way they came: drafts that stayed, replacements from the residual, and beside these what p would have
 * given.
 * @typedef {{
 *   n: number, accepted: number,
 *   fromDraft: Map<Part, number>, fromResidual: Map<Part, number>, fromTarget: Map<Part, number>
 * }} Counts
 */

const DRAWS = 200;
const DRAW_MS = 2500;
const SEED = 1;

/** @returns {Counts} */
export function noDraws() {
  return { n: 0, accepted: 0, fromDraft: new Map(), fromResidual: new Map(), fromTarget: new Map() };
}

/**
 * One token: x from q, the coin, on a rejection the residual, and beside it, with the same number, p. "All others" are
 * one outcome whose chance to stay is what β leaves for them.
 * @param {Distribution} position @param {Uniform} uniform @param {Counts} counts
 */
export function drawOnce({ entries }, uniform, counts) {
  const x = entryAt(entries, "q", uniform());
  counts.n += 1;
  if (uniform() * x.q < x.shared) {
    counts.accepted += 1;
    increment(counts.fromDraft, x);
  } else {
    const u = uniform();
    increment(counts.fromResidual, entryAt(entries, "excess", u));
    increment(counts.fromTarget, entryAt(entries, "p", u));
  }
}

/** @param {Map<Part, number>} map @param {Part} part */
function increment(map, part) {
  map.set(part, (map.get(part) || 0) + 1);
}

/**
 * The entry in which u falls when they stand side by side, each as long as its `key`.
 * @param {Part[]} entries @param {"p" | "q" | "excess"} key @param {number} u
 */
export function entryAt(entries, key, u) {
  let left = u * entries.reduce((sum, e) => sum + e[key], 0);
  const entry = entries.find((e) => {
    left -= e[key];
    return left < 0;
  });
  return entry ?? entries.findLast((e) => e[key] > 0) ?? entries[0]; // a u so near to 1 that the sum has no room for it
}

/** @typedef {"fromResidual" | "fromTarget"} Rule whose replacements count */

/**
 * The share of all draws that came out as this part, either way.
 * @param {Counts} counts @param {Part} part @param {Rule} [rule]
 */
export function shareDrawn(counts, part, rule = "fromResidual") {
  return ((counts.fromDraft.get(part) || 0) + (counts[rule].get(part) || 0)) / Math.max(1, counts.n);
}

/** How far the draws are from p, at most. @param {Distribution} position @param {Counts} counts @param {Rule} [rule] */
export function gap({ entries }, counts, rule) {
  return Math.max(...entries.map((e) => Math.abs(shareDrawn(counts, e, rule) - e.p)));
}

/**
 * The chance of a part where replacements are drawn from p: min(p, q) + (1 − β)·p.
 * @param {Distribution} position @param {Part} part
 */
export function wrongShare({ beta }, { p, shared }) {
  return shared + (1 - beta) * p;
}

/**
 * Draws at the press of a button: seen as they come, with the result when they are done. Pressed again before that, it
 * draws as many more. `restart` before anything is drawn.
 * @param {Stage} stage @param {() => void} onChange more was drawn
 */
export function makeSimulation(stage, onChange) {
  const result = el("p.sv-note", { "aria-live": "polite" });
  const drawButton = button(PAGE.draw, startDraws);
  /** @type {Distribution} */
  let position;
  /** @type {Uniform} */
  let uniform;
  let frame = 0;
  let goal = 0;

  const simulation = {
    root: el("div.lrn-draws.sv-flow", null, drawButton, result),
    counts: /** @type {Counts | null} */ (null),
    /** @param {Distribution} next */
    restart(next) {
      position = next;
      uniform = mulberry(SEED);
      simulation.counts = null;
      goal = 0;
      cancelAnimationFrame(frame);
      setText(result, fillText(PAGE.draws_none, { seed: SEED }));
      setText(drawButton, PAGE.draw);
    },
  };

  function startDraws() {
    cancelAnimationFrame(frame);
    const clock = stage.player?.clock;
    clock?.pause();
    clock?.seek(clock.duration);
    const counts = simulation.counts ?? noDraws();
    simulation.counts = counts;
    goal += DRAWS;
    const from = counts.n;
    const start = performance.now();
    onFrame(start);

    /** @param {number} now */
    function onFrame(now) {
      const progress = still() ? 1 : Math.min(1, (now - start) / DRAW_MS);
      while (counts.n < from + Math.ceil((goal - from) * progress)) drawOnce(position, uniform, counts);
      onChange();
      if (counts.n < goal) frame = requestAnimationFrame(onFrame);
      showResult(counts);
    }
  }

  /** @param {Counts} counts */
  function showResult(counts) {
    const { n, accepted } = counts;
    const gaps = { gap: probability(gap(position, counts)), wrong: probability(gap(position, counts, "fromTarget")) };
    const values = { seed: SEED, n, accepted, rejected: n - accepted, ...gaps };
    setText(result, fillText(PAGE.draws, values));
    setText(drawButton, PAGE.draw_more);
  }

  return simulation;
}
