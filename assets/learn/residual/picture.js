// Chapter 6: a rejected token is replaced; two ways to come out add up to p, and with replacements from p they do not;
// and draws by both rules, from a recorded p and q: the one comes near p, the other never.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number, probability } from "../../shared/numbers.js";
import { scaleTop, share } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";
import { addPicture, PAGE } from "../lesson.js";
import { positionChoice } from "../positions.js";
import { roundPicture } from "../round.js";
import { makeSimulation, shareDrawn, wrongShare } from "./draws.js";

/** @import { Counts } from "./draws.js" */
/** @import { Distribution, Part, Picture, Sentence, Stage } from "../types.js" */

const BEAT_MS = 2600;
const FILLED = 2; // the beat in which the residual replaces
const WRONG = 4; // the beat that shows the wrong rule

/** @param {Distribution[]} positions @param {Stage} stage @returns {Picture} */
function residual(positions, stage) {
  const first = positions.length >> 1;
  let position = positions[first];
  let beat = 0;
  const rows = el("div.sv-bars");
  const picture = roundPicture(
    positions.map(({ round }) => round),
    positions.map(({ before }) => before),
    { mask: false, caches: false },
  );
  const simulation = makeSimulation(stage, () => draw(WRONG));
  const betas = positions.map(({ beta }) => fillText(PAGE.position_n, { beta: probability(beta) }));

  /** @param {number} i */
  function draw(i) {
    beat = i;
    const { counts } = simulation;
    const { round } = position;
    picture.show(beat >= FILLED ? round.end : rejectedAt(round), positions.indexOf(position));
    const ends = (/** @type {Part} */ e) => [e.p, wrongShare(position, e), ...(counts ? shares(counts, e) : [])];
    const top = scaleTop(position.entries.flatMap(ends));
    rows.replaceChildren(...position.entries.map((e) => partRow(position, e, top, beat, counts)));
  }

  /** @param {Distribution} next */
  function choose(next) {
    position = next;
    simulation.restart(position);
    draw(beat);
    stage.player?.clock.seek(stage.player.clock.t); // says the beat of this position
  }

  simulation.restart(position);
  const keys = legend(
    ["shared", PAGE.part_shared],
    ["residual", PAGE.part_residual],
    ["line", PAGE.part_p],
    ["wrong", PAGE.part_wrong],
  );
  const choice = positionChoice("lrn-position", betas, first, (i) => choose(positions[i]));
  const templates = [PAGE.residual_1, PAGE.residual_2, PAGE.residual_3, PAGE.residual_4, PAGE.residual_wrong];
  return {
    node: el("div.lrn-residual.sv-stack", null, choice.root, picture.root, keys, rows, simulation.root),
    beats: templates.map((template, i) => ({
      at: i * BEAT_MS,
      /** Of the position chosen now. @returns {Sentence} */
      get sentence() {
        const worst = furthest(position);
        const wrong = probability(wrongShare(position, worst));
        const miss = { x: tokenName(worst.token), p: probability(worst.p), wrong };
        return [template, { beta: probability(position.beta), left: probability(1 - position.beta), ...miss }];
      },
    })),
    tail: BEAT_MS,
    paint(_, i) {
      if (i !== beat || !rows.children.length) draw(i);
    },
  };
}

/** When the token fell that is replaced. @param {import("../../shared/types.js").Round} round */
function rejectedAt({ drafted, shown }) {
  const at = drafted.findIndex(({ verdict }) => verdict === "rejected");
  return shown.find((span) => span.drafted === at)?.decided ?? 0;
}

/** @param {Part["token"]} token null is: all others */
const tokenName = (token) => (token ? chip(token) : el("span.sv-note", null, PAGE.rest));

/** Where the wrong rule misses most. @param {Distribution} position */
function furthest(position) {
  const miss = (/** @type {Part} */ e) => Math.abs(wrongShare(position, e) - e.p);
  return position.entries.reduce((worst, e) => (miss(e) > miss(worst) ? e : worst));
}

/** What came out as this part by the right rule and by the wrong one. @param {Counts} counts @param {Part} part */
const shares = (counts, part) => [shareDrawn(counts, part), shareDrawn(counts, part, "fromTarget")];

/**
 * The parts grow in turn, up to the line where p ends; under them, thinner, where the wrong rule ends. Once something
 * is drawn, both bars are what came out.
 * @param {Distribution} position @param {Part} part @param {number} top @param {number} beat
 * @param {Counts | null} counts
 */
function partRow(position, part, top, beat, counts) {
  const { p, shared, excess } = part;
  const line = el("span.lrn-p-line");
  line.style.left = share(p, top);
  if (!counts) {
    const bars = [
      beat >= 1 ? bar("shared", shared, top) : null,
      beat >= 2 ? bar("residual", excess, top, shared) : null,
      beat >= WRONG ? bar("wrong", wrongShare(position, part), top) : null,
    ];
    return row(tokenName(part.token), [...bars, line], [sumOf(position, part, beat)]);
  }
  const draft = (counts.fromDraft.get(part) || 0) / counts.n;
  const [right, wrong] = shares(counts, part);
  const bars = [
    bar("drawn-kept", draft, top),
    bar("drawn-residual", right - draft, top, draft),
    bar("wrong", wrong, top),
  ];
  const value = { p: probability(p), right: number(right, 3), wrong: number(wrong, 3) };
  return row(tokenName(part.token), [...bars, line], [fillText(PAGE.draws_value, value)]);
}

/** What the parts that have grown add up to.
 * @param {Distribution} position @param {Part} part @param {number} beat */
function sumOf(position, part, beat) {
  const { p, shared, excess } = part;
  if (beat >= WRONG)
    return fillText(PAGE.wrong_value, { p: probability(p), wrong: probability(wrongShare(position, part)) });
  if (beat >= 2) return `${probability(shared)} + ${probability(excess)} = ${probability(p)}`;
  return probability(beat === 1 ? shared : p);
}

addPicture("residual", residual);
