// Draws by the algorithm, in the page, at the press of a button: seen as they come, and told when they are done.
// Pressed again before that, it draws as many more.

import { button } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { still } from "../../shared/motion.js";
import { probability } from "../../shared/numbers.js";
import { mulberry } from "../../shared/random.js";
import { fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";
import { drawOnce, gap, noDraws } from "./draws.js";

/** @import { Chance, Counts } from "./draws.js" */
/** @import { Distribution, Stage } from "../types.js" */

const DRAWS = 200;
const DRAW_MS = 2500;
const SEED = 1;

/** `restart` before anything is drawn. @param {Stage} stage @param {() => void} changed more was drawn */
export function makeSimulation(stage, changed) {
  const told = el("p.sv-note", { "aria-live": "polite" });
  const more = button(PAGE.draw, draw);
  /** @type {Distribution} */
  let law;
  /** @type {Chance} */
  let chance;
  let running = 0;
  let wanted = 0;

  const simulation = {
    root: el("div.lrn-draws.sv-flow", null, more, told),
    counts: /** @type {Counts | null} */ (null),
    /** @param {Distribution} next */
    restart(next) {
      law = next;
      chance = mulberry(SEED);
      simulation.counts = null;
      wanted = 0;
      cancelAnimationFrame(running);
      setText(told, fillText(PAGE.draws_none, { seed: SEED }));
      setText(more, PAGE.draw);
    },
  };

  function draw() {
    cancelAnimationFrame(running);
    const clock = stage.player?.clock;
    clock?.pause();
    clock?.seek(clock.duration);
    const counts = simulation.counts ?? noDraws();
    simulation.counts = counts;
    wanted += DRAWS;
    const from = counts.n;
    const began = performance.now();
    go(began);

    /** @param {number} now */
    function go(now) {
      const passed = still() ? 1 : Math.min(1, (now - began) / DRAW_MS);
      while (counts.n < from + Math.ceil((wanted - from) * passed)) drawOnce(law, chance, counts);
      changed();
      if (counts.n < wanted) running = requestAnimationFrame(go);
      tell(counts);
    }
  }

  /** @param {Counts} counts */
  function tell(counts) {
    const { n, accepted } = counts;
    const gaps = { gap: probability(gap(law, counts)), wrong: probability(gap(law, counts, "wrong")) };
    const values = { seed: SEED, n, accepted, rejected: n - accepted, ...gaps };
    setText(told, fillText(PAGE.draws, values));
    setText(more, PAGE.draw_more);
  }

  return simulation;
}
