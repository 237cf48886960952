// Chapter 6: two ways to come out add up to p; and draws by the algorithm, from a recorded p and q, that come near it.

import { el } from "../shared/dom.js";
import { number, probability } from "../shared/numbers.js";
import { scaleTop, share } from "../shared/scale.js";
import { filled } from "../shared/sentences.js";
import { drawn } from "./draws.js";
import { PAGE } from "./lesson.js";
import { bar, legend, named, row } from "./rows.js";
import { makeSimulation } from "./simulation.js";

/** @import { Counts } from "./draws.js" */
/** @import { Law, Part, Picture, Say, Stage } from "./types.js" */

const BEAT_MS = 2000;

/** @param {Law[]} laws @param {Stage} stage @returns {Picture} */
export function residual(laws, stage) {
  const first = laws.length >> 1;
  let law = laws[first];
  let at = 0;
  const rows = el("div.lrn-rows");
  const simulation = makeSimulation(stage, () => draw(3));
  const choices = laws.map((one, i) => positionChoice(one, i === first, () => choose(one)));

  /** @param {number} i */
  function draw(i) {
    at = i;
    const { counts } = simulation;
    const top = scaleTop(law.entries.map((e) => Math.max(e.p, counts ? drawn(counts, e) : 0)));
    rows.replaceChildren(...law.entries.map((e) => lawRow(e, top, at, counts)));
  }

  /** @param {Law} chosen */
  function choose(chosen) {
    law = chosen;
    simulation.restart(law);
    stage.player?.clock.seek(0);
    draw(at);
    stage.player?.clock.play();
  }

  simulation.restart(law);
  const keys = legend(
    ["shared", PAGE.part_shared],
    ["residual", PAGE.part_residual],
    ["line", PAGE.part_p],
    ["thin", PAGE.part_drawn],
  );
  const positions = el("fieldset.lrn-positions", null, el("legend", null, PAGE.position), choices);
  const sentences = [PAGE.residual_1, PAGE.residual_2, PAGE.residual_3, PAGE.residual_4];
  return {
    node: el("div.lrn-residual", null, positions, keys, rows, simulation.root),
    beats: sentences.map((sentence, i) => ({
      at: i * BEAT_MS,
      /** Of the position chosen now. @returns {Say} */
      get say() {
        return [sentence, { beta: probability(law.beta), left: probability(1 - law.beta) }];
      },
    })),
    tail: BEAT_MS,
    paint(_, i) {
      if (i !== at || !rows.children.length) draw(i);
    },
  };
}

/** @param {Law} law @param {boolean} first @param {() => void} chosen */
function positionChoice(law, first, chosen) {
  const input = el("input", { type: "radio", name: "lrn-position" });
  input.checked = first;
  input.addEventListener("change", chosen);
  return el("label", null, input, el("span", null, filled(PAGE.position_n, { beta: probability(law.beta) })));
}

/**
 * The parts grow in turn, up to the line where p ends; above them, thinner, what was drawn so far.
 * @param {Part} part @param {number} top @param {number} at the beat @param {Counts | null} counts
 */
function lawRow(part, top, at, counts) {
  const { p, shared, excess } = part;
  const line = el("span.lrn-p-line");
  line.style.left = share(p, top);
  const bars = [
    at >= 1 ? bar("shared", shared, top) : null,
    at >= 2 ? bar("residual", excess, top, shared) : null,
    line,
  ];
  if (!counts) return row(named(part.token), bars, sumOf(part, at));
  const kept = (counts.kept.get(part) || 0) / counts.n;
  const filledUp = (counts.filled.get(part) || 0) / counts.n;
  bars.push(bar("drawn-kept", kept, top), bar("drawn-residual", filledUp, top, kept));
  const value = filled(PAGE.draws_value, { p: probability(p), drawn: number(drawn(counts, part), 3) });
  return row(named(part.token), bars, value);
}

/** What the parts that have grown add up to. @param {Part} part @param {number} at the beat */
function sumOf({ p, shared, excess }, at) {
  if (at >= 2) return `${probability(shared)} + ${probability(excess)} = ${probability(p)}`;
  return probability(at === 1 ? shared : p);
}
