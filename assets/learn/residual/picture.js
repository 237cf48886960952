// Chapter 6: a rejected token is replaced; two ways to come out add up to p, and with replacements from p they do not;
// and draws by both rules, from a recorded p and q: the one comes near p, the other never.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number, probability } from "../../shared/numbers.js";
import { scaleTop, share } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { positions } from "../positions.js";
import { roundPicture } from "../round.js";
import { mistakenShare, shareDrawn } from "./draws.js";
import { makeSimulation } from "./simulation.js";

/** @import { Counts } from "./draws.js" */
/** @import { Distribution, Part, Picture, Say, Stage } from "../types.js" */

const BEAT_MS = 2600;
const FILLED = 2; // the beat in which the residual replaces
const WRONG = 4; // the beat that shows the wrong rule

/** @param {Distribution[]} laws @param {Stage} stage @returns {Picture} */
function residual(laws, stage) {
  const first = laws.length >> 1;
  let law = laws[first];
  let at = 0;
  const rows = el("div.sv-bars");
  const picture = roundPicture(
    laws.map(({ round }) => round),
    laws.map(({ before }) => before),
    { mask: false, caches: false },
  );
  const simulation = makeSimulation(stage, () => draw(WRONG));
  const betas = laws.map(({ beta }) => fillText(PAGE.position_n, { beta: probability(beta) }));

  /** @param {number} i */
  function draw(i) {
    at = i;
    const { counts } = simulation;
    const { round } = law;
    picture.show(at >= FILLED ? round.end : rejectedAt(round), laws.indexOf(law));
    const ends = (/** @type {Part} */ e) => [e.p, mistakenShare(law, e), ...(counts ? rules(counts, e) : [])];
    const top = scaleTop(law.entries.flatMap(ends));
    rows.replaceChildren(...law.entries.map((e) => lawRow(law, e, top, at, counts)));
  }

  /** @param {Distribution} chosen */
  function choose(chosen) {
    law = chosen;
    simulation.restart(law);
    draw(at);
    stage.player?.clock.seek(stage.player.clock.t); // says the beat of this position
  }

  simulation.restart(law);
  const keys = legend(
    ["shared", PAGE.part_shared],
    ["residual", PAGE.part_residual],
    ["line", PAGE.part_p],
    ["wrong", PAGE.part_wrong],
  );
  const choice = positions("lrn-position", betas, first, (i) => choose(laws[i]));
  const sentences = [PAGE.residual_1, PAGE.residual_2, PAGE.residual_3, PAGE.residual_4, PAGE.residual_wrong];
  return {
    node: el("div.lrn-residual.sv-stack", null, choice.root, picture.root, keys, rows, simulation.root),
    beats: sentences.map((sentence, i) => ({
      at: i * BEAT_MS,
      /** Of the position chosen now. @returns {Say} */
      get say() {
        const worst = furthest(law);
        const off = { x: named(worst.token), p: probability(worst.p), wrong: probability(mistakenShare(law, worst)) };
        return [sentence, { beta: probability(law.beta), left: probability(1 - law.beta), ...off }];
      },
    })),
    tail: BEAT_MS,
    paint(_, i) {
      if (i !== at || !rows.children.length) draw(i);
    },
  };
}

/** When the token fell that is replaced. @param {import("../../shared/types.js").Round} round */
function rejectedAt({ drafted, shown }) {
  const at = drafted.findIndex(({ verdict }) => verdict === "rejected");
  return shown.find((span) => span.drafted === at)?.decided ?? 0;
}

/** @param {Part["token"]} token null is: all others */
const named = (token) => (token ? chip(token) : el("span.sv-note", null, PAGE.rest));

/** Where the wrong rule misses most. @param {Distribution} law */
function furthest(law) {
  const miss = (/** @type {Part} */ e) => Math.abs(mistakenShare(law, e) - e.p);
  return law.entries.reduce((worst, e) => (miss(e) > miss(worst) ? e : worst));
}

/** What came out as this part by the right rule and by the wrong one. @param {Counts} counts @param {Part} part */
const rules = (counts, part) => [shareDrawn(counts, part), shareDrawn(counts, part, "wrong")];

/**
 * The parts grow in turn, up to the line where p ends; under them, thinner, where the wrong rule ends. Once something
 * is drawn, both bars are what came out.
 * @param {Distribution} law @param {Part} part @param {number} top @param {number} at the beat
 * @param {Counts | null} counts
 */
function lawRow(law, part, top, at, counts) {
  const { p, shared, excess } = part;
  const line = el("span.lrn-p-line");
  line.style.left = share(p, top);
  if (!counts) {
    const bars = [
      at >= 1 ? bar("shared", shared, top) : null,
      at >= 2 ? bar("residual", excess, top, shared) : null,
      at >= WRONG ? bar("wrong", mistakenShare(law, part), top) : null,
    ];
    return row(named(part.token), [...bars, line], [sumOf(law, part, at)]);
  }
  const kept = (counts.kept.get(part) || 0) / counts.n;
  const [right, wrong] = rules(counts, part);
  const bars = [bar("drawn-kept", kept, top), bar("drawn-residual", right - kept, top, kept), bar("wrong", wrong, top)];
  const value = { p: probability(p), drawn: number(right, 3), wrong: number(wrong, 3) };
  return row(named(part.token), [...bars, line], [fillText(PAGE.draws_value, value)]);
}

/** What the parts that have grown add up to.
 * @param {Distribution} law @param {Part} part @param {number} at the beat */
function sumOf(law, part, at) {
  const { p, shared, excess } = part;
  if (at >= WRONG)
    return fillText(PAGE.wrong_value, { p: probability(p), wrong: probability(mistakenShare(law, part)) });
  if (at >= 2) return `${probability(shared)} + ${probability(excess)} = ${probability(p)}`;
  return probability(at === 1 ? shared : p);
}

addPicture("residual", residual);
