// A rejected token is replaced; two ways to come out add up to p, and with replacements from p they do not; and
// draws by both rules, from a recorded p and q: the one comes near p, the other never.

import { bar, button, chip, el, legend, row, scaleTop, setText, share, still } from "../../player/dom.js";
import { fillText, number, probability } from "../../player/words.js";
import { mulberry } from "../../shared/formulas.js";
import { PAGE } from "../lesson.js";
import { positionChoice, roundPicture } from "../picture.js";

/** @import { Distribution, Part, Picture, Sentence, Stage } from "../types.js" */

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

/** One token: x from q, the coin, on a rejection the residual, and beside it, with the same number, p. "All others" are
 * one outcome whose chance to stay is what β leaves for them.
 * @param {Distribution} position @param {Uniform} uniform @param {Counts} counts */
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

/** The entry in which u falls when they stand side by side, each as long as its `key`.
 * @param {Part[]} entries @param {"p" | "q" | "excess"} key @param {number} u */
export function entryAt(entries, key, u) {
  let rest = u * entries.reduce((sum, e) => sum + e[key], 0);
  const entry = entries.find((e) => {
    rest -= e[key];
    return rest < 0;
  });
  return entry ?? entries.findLast((e) => e[key] > 0) ?? entries[0]; // a u so near to 1 that the sum has no room for it
}

/** @typedef {"fromResidual" | "fromTarget"} Rule whose replacements count */

/** The share of all draws that came out as this part, either way.
 * @param {Counts} counts @param {Part} part @param {Rule} [rule] */
export function shareDrawn(counts, part, rule = "fromResidual") {
  return ((counts.fromDraft.get(part) || 0) + (counts[rule].get(part) || 0)) / Math.max(1, counts.n);
}

/** How far the draws are from p, at most. @param {Distribution} position @param {Counts} counts @param {Rule} [rule] */
export function gap({ entries }, counts, rule) {
  return Math.max(...entries.map((e) => Math.abs(shareDrawn(counts, e, rule) - e.p)));
}

/** The chance of a part where replacements are drawn from p: min(p, q) + (1 − β)·p.
 * @param {Distribution} position @param {Part} part */
export function wrongShare({ beta }, { p, shared }) {
  return shared + (1 - beta) * p;
}

/** Draws at the press of a button: seen as they come, with the result when they are done. Pressed again before that, it
 * draws as many more. `restart` before anything is drawn.
 * @param {Stage} stage @param {() => void} onChange more was drawn */
function makeSimulation(stage, onChange) {
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

const BEAT_MS = 2600;
const FILLED = 2; // the beat in which the residual replaces
const WRONG = 4; // the beat that shows the wrong rule

/** @param {Distribution[]} positions @param {Stage} stage @returns {Picture} */
export function residual(positions, stage) {
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

/** The parts grow in turn, up to the line where p ends; under them, thinner, where the wrong rule ends. Once something
 * is drawn, both bars are what came out.
 * @param {Distribution} position @param {Part} part @param {number} top @param {number} beat
 * @param {Counts | null} counts */
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
  const bars = [bar("drawn-kept", draft, top), bar("drawn-residual", right - draft, top, draft), bar("wrong", wrong, top)];
  const value = { p: probability(p), right: number(right, 3), wrong: number(wrong, 3) };
  return row(tokenName(part.token), [...bars, line], [fillText(PAGE.draws_value, value)]);
}

/** What the parts that have grown add up to.
 * @param {Distribution} position @param {Part} part @param {number} beat */
function sumOf(position, part, beat) {
  const { p, shared, excess } = part;
  if (beat >= WRONG) return fillText(PAGE.wrong_value, { p: probability(p), wrong: probability(wrongShare(position, part)) });
  if (beat >= 2) return `${probability(shared)} + ${probability(excess)} = ${probability(p)}`;
  return probability(beat === 1 ? shared : p);
}
