// Break it: a rule, right or wrong, is drawn from again and again, and what comes is held against the
// distribution that must come.

import { chart, headHeight } from "../../chart/chart.js";
import { el } from "../../shared/dom.js";
import { addPanel } from "../panels.js";
import { askClass } from "./asked.js";
import { bars, falling } from "./bars.js";
import { codeOf } from "./code.js";
import { fields } from "./fields.js";
import { isExact, sentences, table } from "./verdict.js";

/** @import { PanelContext, Drawn } from "../types.js" */
/** @import { Case } from "./types.js" */
/** @import { Trial } from "./trial.js" */

const DRAWS = 1000;
const MOST = 1_000_000;
const FRAME_MS = 12; // of drawing between two looks
const BESIDE = 820; // px: from here on both pictures stand side by side
const GAP = 36;
const CURVE = 280; // px high

/** @param {PanelContext} bench @returns {Drawn} */
function mistakes(bench) {
  const { words } = bench;
  const picture = el("div.brk-picture");
  const verdict = el("div.brk-verdict.sv-stack", { role: "status" });
  const numbers = el("div.lab-stack");
  const all = el("div");
  /** @type {Case | null} */
  let now = null;
  /** @type {Trial | null} */
  let trial = null;
  let running = 0;
  let valid = false; // the rule as it is now
  const ask = fields(bench, begin);
  const asked = askClass(
    bench,
    () => (valid ? ask.formulas() : ask.formulas() && ""),
    () => trial !== null && isExact(trial),
    (on) => {
      for (const box of [picture, numbers]) box.hidden = on;
    },
  );

  /**
   * Something else was chosen. @param {Case | { wrong: string }} found
   * @param {boolean} [settled] not while a formula is typed
   */
  function begin(found, settled = true) {
    stop();
    if (settled) bench.keep(ask.settings());
    const next = "wrong" in found ? found : ask.trial(found);
    valid = !("wrong" in next);
    asked.move();
    const stays = trial !== null && "wrong" in next && next !== found; // no rule: the picture of the last one stays
    bench.say("wrong" in next ? `${next.wrong} ${stays ? words.own_last : ""}`.trim() : "");
    for (const box of [picture, numbers]) box.toggleAttribute("data-stale", stays);
    if (stays) return;
    [now, trial] = "wrong" in found || "wrong" in next ? [null, null] : [found, next];
    for (const box of [picture, verdict, numbers]) box.replaceChildren();
    if (!now || !trial) return;
    if (!settled) verdict.setAttribute("aria-busy", "true"); // heard once the field is left
    const folded = el(
      "details.brk-all",
      { open: now.names.length > 12 ? null : "" },
      el("summary", null, words.all),
      all,
    );
    numbers.append(el("div.brk-rule", null, codeOf(trial.rule, words), verdict), folded);
    run();
  }

  function run() {
    if (!trial) return;
    trial.draw(DRAWS);
    draw();
  }

  /** On and on, until there are a million or Stop is pressed. */
  function goOn() {
    stop();
    const [from, began] = [trial?.n ?? 0, performance.now()];
    verdict.setAttribute("aria-busy", "true"); // heard once it is over
    const next = () => {
      if (!trial || trial.n >= MOST) return stop();
      const until = performance.now() + FRAME_MS;
      while (performance.now() < until && trial.n < MOST) trial.draw(Math.min(DRAWS, MOST - trial.n));
      draw();
      const pace = (trial.n - from) / (performance.now() - began);
      bench.progress(trial.n, MOST, (MOST - trial.n) / pace / 1000);
      running = requestAnimationFrame(next);
    };
    next();
  }

  function stop() {
    cancelAnimationFrame(running);
    verdict.removeAttribute("aria-busy");
    if (running) bench.progress(null);
    running = 0;
  }

  function draw() {
    if (!now || !trial) return;
    picture.replaceChildren(chartOf(now, trial, bench.width(), words));
    verdict.replaceChildren(...sentences(now, trial, words).map((said) => el("p", null, said)));
    all.replaceChildren(table(now, trial, words));
  }

  return {
    controls: [ask.nodes, asked.root],
    more: [[words.on, goOn]],
    picture,
    numbers,
    run,
    stop,
    draw,
    begin: ask.begin,
    table: () =>
      now &&
      trial && [
        [words.outcome, "p", words.column_exact, words.column_came],
        ...now.names.map((name, i) => [name, now?.p[i] ?? 0, trial?.exact[i] ?? 0, trial?.counts[i] ?? 0]),
      ],
    chart: () => picture.querySelector("svg"),
  };
}

/**
 * Bars, and beside or under them how the distance fell.
 * @param {Case} now @param {Trial} trial @param {number} width @param {Record<string, string>} words
 */
function chartOf(now, trial, width, words) {
  const beside = width >= BESIDE;
  const left = beside ? Math.round(0.56 * width) - GAP : width;
  const { rows, ...first } = bars(now, trial, left, words);
  const high = headHeight(first, left) + rows;
  const curve = beside ? Math.max(CURVE, Math.min(high, 420)) : CURVE;
  const place = beside ? { x: left + GAP, y: 0, width: width - left - GAP } : { x: 0, y: high + GAP, width };
  const planes = [
    { ...first, frame: { x: 0, y: 0, width: left, height: high } },
    { ...falling(now, trial, words), frame: { ...place, height: curve } },
  ];
  return chart({ width, planes });
}

addPanel("mistakes", mistakes);
