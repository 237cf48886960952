// Ways to draft: what a draft step reads and runs, drawn on the target's layers, what it costs, and what
// was published; then a chain and a tree of the same number of guesses, at one position and on average.

import { bestShape, chainOf, fastestShape, firstRanks, speedOf } from "../../player/account.js";
import { bar, el, legend, line, row, setText, shape, speechText, table, wordTable } from "../../player/dom.js";
import { explain } from "../../player/page.js";
import { fillText, number, percent, rounded, times, WORDS } from "../../player/words.js";
import { slider } from "../../shared/exercise.js";
import { PAGE } from "../lesson.js";
import { positionChoice, roundPicture, views } from "../picture.js";

/** @import { Guess, Picture, Sentence, Shapes, Stack, Stage, View, Ways } from "../types.js" */

const KINDS = /** @type {const} */ (["chain", "tree"]);
const SERIES = { chain: "draft", tree: "target" };
const FEW_GUESSES = 4;

/** @param {Shapes} shapes @param {Stage} stage @returns {View} */
function atOnePosition({ machines, positions, of }, stage) {
  const most = positions[0].chain.length;
  const top = Math.ceil(Math.max(...positions.flatMap((one) => KINDS.map((kind) => shapeOf(one[kind], most).tokens))));
  const last = positions.map((one) => one.last);
  const shapeViews = KINDS.map((kind) => ({
    kind,
    bars: el("div.sv-bars"),
    picture: roundPicture(
      positions.map((one) => roundOf(one[kind])),
      last,
      { mask: false, caches: false },
    ),
  }));
  const names = { chain: PAGE.position_a_chain, tree: PAGE.position_a_tree };
  const notes = machines.map(() => el("p.sv-note"));
  let at = 0;
  let n = most;
  const words = [PAGE.position_unsure, PAGE.position_sure];
  const choice = positionChoice("lrn-guessed", words, at, (i) => moveTo(i, n));
  const budget = slider(PAGE.shape_budget, 1, most, 1, (guesses) => moveTo(at, guesses));

  /** @param {number} position @param {number} guesses */
  function moveTo(position, guesses) {
    stage.player?.pauseForVisitor();
    show(position, guesses);
  }

  /** @param {number} position @param {number} guesses */
  function show(position, guesses) {
    [at, n] = [position, guesses];
    choice.show(at);
    budget.show(n, String(n));
    for (const { kind, bars, picture } of shapeViews) {
      const { tokens, passes } = shapeOf(positions[at][kind], n);
      const value = fillText(PAGE.position_gives, { tokens: number(tokens, 2), passes });
      bars.replaceChildren(row(names[kind], [bar(SERIES[kind], tokens, top)], [value]));
      picture.show(n + 0.5, at);
    }
    for (const [i, { device, c, v }] of machines.entries()) {
      const fast = KINDS.map((kind) => [kind, times(speedOf(shapeOf(positions[at][kind], n), c, v[n]))]);
      setText(notes[i], fillText(PAGE.position_speed, { device, ...Object.fromEntries(fast) }));
    }
  }

  const valuesAt = (/** @type {number} */ i, /** @type {number} */ guesses) => ({
    of,
    n: guesses,
    last: speechText(last[i]),
    ...Object.fromEntries(KINDS.map((kind) => [kind, number(shapeOf(positions[i][kind], guesses).tokens, 2)])),
  });
  const beats = /** @type {[string, number, number][]} */ ([
    [PAGE.position_chosen, 0, FEW_GUESSES],
    [PAGE.position_tree, 0, most],
    [PAGE.position_chain, 1, most],
    [PAGE.position_exact, 0, most],
  ]);
  return {
    node: el(
      "div.lrn-guesses.sv-stack",
      null,
      choice.root,
      budget.root,
      ...shapeViews.flatMap(({ bars, picture }) => [bars, picture.root]),
      notes,
    ),
    sentences: beats.map(([template, i, guesses]) => [template, valuesAt(i, guesses)]),
    show: (i) => show(beats[i][1], beats[i][2]),
  };
}

/** The guesses in the order in which a larger budget takes them: the likeliest first, by the draft's own chances.
 * @param {Guess[]} guesses */
export function orderByChance(guesses) {
  const chances = pathChances(guesses, "q");
  return guesses.map((_, i) => i).sort((a, b) => chances[b] - chances[a] || a - b);
}

/** Tokens of a round with the n likeliest guesses, on average, and the passes of the draft that they take. A guess
 * counts as often as the target accepts the path to it; one more token always comes.
 * @param {Guess[]} guesses @param {number} n */
export function shapeOf(guesses, n) {
  const chances = pathChances(guesses, "p");
  const deep = /** @type {number[]} */ ([]);
  for (const { parent } of guesses) deep.push(parent < 0 ? 1 : deep[parent] + 1);
  const best = orderByChance(guesses).slice(0, n);
  return { tokens: best.reduce((sum, i) => sum + chances[i], 1), passes: Math.max(0, ...best.map((i) => deep[i])) };
}

/** The product of chances along the path to each guess. @param {Guess[]} guesses @param {"p" | "q"} of */
function pathChances(guesses, of) {
  const chances = /** @type {number[]} */ ([]);
  for (const guess of guesses) chances.push(guess[of] * (guess.parent < 0 ? 1 : chances[guess.parent]));
  return chances;
}

/** As a round in which a guess is there from its place on, and the target's pass reads all that are.
 * @param {Guess[]} guesses @returns {import("../../shared/types.js").Round} */
function roundOf(guesses) {
  const order = orderByChance(guesses);
  const never = guesses.length + 2;
  const drafted = guesses.map(({ text, parent, p, q }, i) => ({
    token: { id: i, text, partial: false },
    ...{ p, q, ratio: null, u: null, verdict: /** @type {const} */ ("unexamined"), position: null },
    ...{ parent, rank: i, at: order.indexOf(i) + 1, decided: never },
  }));
  const clock = { start: 0, drafted_at: 0, verified_at: 0, decided_at: never, end: never };
  const times = { draft: null, verify: null, decide: null, rest: 0, observe: 0 };
  const none = { residual: null, target_cache: null, draft_cache: null, target_forwards: 1, draft_forwards: null };
  return { index: 0, ...clock, times, drafted, emitted: [], ...none, asked: null, fewer: null, shown: [] };
}

/** @param {Shapes} shapes @param {Stage} stage @returns {View} */
function budget({ share, machines, draft }, stage) {
  const rows = el("div.sv-bars");
  const most = Math.min(...machines.map(({ v }) => v.length)) - 1;
  const top = Math.ceil(bestShape(share, most).tokens);
  const budget = slider(PAGE.shape_budget, 1, most, 1, (guesses) => {
    stage.player?.pauseForVisitor();
    show(guesses);
  });

  /** @param {number} n */
  function show(n) {
    budget.show(n, String(n));
    const tokensText = (/** @type {number} */ tokens) => fillText(PAGE.shape_tokens, { n: number(tokens, 2) });
    const [chain, tree] = [chainOf(share, n).tokens, bestShape(share, n).tokens];
    rows.replaceChildren(
      el("p.sv-note", null, PAGE.shape_pass),
      row(PAGE.shape_chain, bar("draft", chain, top), [tokensText(chain)]),
      row(PAGE.shape_tree, bar("target", tree, top), [tokensText(tree)]),
      ...machines.flatMap((machine) => speeds(machine, n)),
    );
  }

  /** @param {Shapes["machines"][number]} machine @param {number} n */
  function speeds({ device, c, v }, n) {
    const forms = { chain: fastestShape(firstRanks(share), n, c, v), tree: fastestShape(share, n, c, v) };
    const head = { device, ...rounded({ c, v: v[n] }), n: n + 1 };
    const rowOf = (/** @type {"chain" | "tree"} */ name, /** @type {string} */ series) => {
      const { speed, guesses, passes } = forms[name];
      const value = fillText(PAGE.shape_speed, { speed: times(speed), n: guesses, depth: passes });
      return row(PAGE[`shape_${name}`], bar(series, speed, top), [value]);
    };
    return [el("p.sv-note", null, fillText(PAGE.shape_v, head)), rowOf("chain", "draft"), rowOf("tree", "target")];
  }

  const tokens = (/** @type {number} */ n) => {
    return { n, ...rounded({ chain: chainOf(share, n).tokens, tree: bestShape(share, n).tokens }) };
  };
  const thin = { draft, first: percent(share[0][0]), second: percent(share[0][1] ?? 0) };
  const sentences = /** @type {Sentence[]} */ ([
    [PAGE.shape_is, {}],
    [PAGE.shape_thin, thin],
    [PAGE.shape_few, tokens(Math.min(FEW_GUESSES, most))],
    [PAGE.shape_many, tokens(most)],
    [PAGE.shape_engines, {}],
  ]);
  return {
    node: el("div.lrn-budget.sv-stack", null, thinning(share), budget.root, rows),
    sentences,
    show: (i) => show(i < 3 ? Math.min(FEW_GUESSES, most) : most),
  };
}

/** How often a guess is accepted where its siblings are tested, a column a depth. @param {number[][]} share */
function thinning(share) {
  const ranks = Math.max(...share.map((byRank) => byRank.length));
  const heads = share.map((_, depth) => fillText(PAGE.shape_depth, { n: depth + 1 }));
  const lines = Array.from({ length: ranks }, (_, rank) => {
    const cells = share.map((byRank) => (byRank[rank] === undefined ? "" : percent(byRank[rank])));
    return line(fillText(PAGE.shape_rank, { n: rank + 1 }), cells);
  });
  const frame = { tabindex: 0, role: "group", "aria-label": PAGE.shape_accepted };
  return el("div.sv-scroll", frame, table(".sv-table.lrn-thin", [PAGE.shape_accepted, ...heads], lines));
}

const BEAT_MS = 2600;
const LAYERS = 6;
const [WIDE, HIGH, STEP] = [34, 4, 6]; // of a layer, and from one to the next
const GROUND = 46; // the foot of all
const BESIDE = 48; // where what stands apart begins

/**
 * `own`: so many of the target's own layers run; `reads`: the layers, from below, whose output a step takes; `above`:
 * the widths of modules of its own on top, one after the other; `again`: the last of them runs on what it made;
 * `beside`: the sizes of what stands apart.
 * @type {Record<Stack, { own?: number, reads?: number[], above?: number[], again?: boolean, beside?: number[][] }>}
 */
const DRAWINGS = {
  beside: {
    beside: [
      [19, HIGH],
      [19, HIGH],
    ],
  },
  first: { own: 2 },
  heads: { reads: [5], above: [13, 13, 13] },
  feature: { reads: [0, 2, 4], above: [24], again: true },
  text: { beside: [[29, 16]] },
  table: { beside: [[24, 19]] },
};

/** @param {Ways} excerpt @param {Stage} stage @returns {Picture} */
export function waysToDraft({ c, ways, shapes }, stage) {
  const table = { ...waysTable({ c, ways }), word: PAGE.ways_view };
  if (!shapes) return views("lrn-others", [table], BEAT_MS, stage);
  const position = { ...atOnePosition(shapes, stage), word: PAGE.position_view };
  const whole = { ...budget(shapes, stage), word: PAGE.shapes_view };
  return views("lrn-others", [table, position, whole], BEAT_MS, stage);
}

/** @param {Pick<Ways, "c" | "ways">} excerpt @returns {View} */
function waysTable({ c, ways }) {
  const values = { lookup: costText(c.lookup), bigram: costText(c["poor-draft"]) };
  const costs = ways.map((way) => fillText(way.cost, values));
  const terms = new Set();
  const rows = ways.map((way, i) => {
    const published = [way.published, el("small", null, explain(way.source, {}, terms))];
    return line(way.name, [layers(way.stack), way.reads, costs[i], published]);
  });
  const heads = [PAGE.way, null, PAGE.way_reads, PAGE.way_cost, PAGE.way_published];
  const keys = legend(["stack", PAGE.stack_target], ["tap", PAGE.stack_read], ["q", PAGE.stack_draft]);
  return {
    node: el("div", null, wordTable(".lrn-ways", heads, rows), keys),
    sentences: [...ways.map((way) => /** @type {Sentence} */ ([way.says])), [PAGE.way_end]],
    show(i) {
      for (const [k, row] of rows.entries()) row.toggleAttribute("data-on", k === i);
    },
  };
}

/** A cost that may be too small to write. @param {number | null} value */
export function costText(value) {
  if (value === null) return WORDS.none;
  return `${value < 0.01 ? "<" : "="} ${number(Math.max(value, 0.01), 2)}`;
}

/** Filled is what a draft step runs, a dot stands at each layer that it reads. @param {Stack} kind */
function layers(kind) {
  const { own = 0, reads = [], above = [], again = false, beside = [] } = DRAWINGS[kind];
  const foot = (/** @type {number} */ i) => GROUND - i * STEP - HIGH;
  const box = (/** @type {number} */ x, /** @type {number} */ y, width = WIDE, height = HIGH, lit = true) =>
    shape("rect", { x, y, width, height, "data-lit": lit ? "" : null });
  const sign = (/** @type {number} */ x, /** @type {string} */ text) => shape("text", { x, y: 9 }, text);
  const stack = Array.from({ length: LAYERS }, (_, i) => box(1, foot(i), WIDE, HIGH, i < own));
  const dots = reads.map((i) => shape("circle", { cx: WIDE + 6, cy: foot(i) + HIGH / 2, r: 2.5 }));
  let x = 1;
  const modules = above.flatMap((width, i) => {
    const module = box(x, foot(LAYERS), width);
    x += width + 11;
    const joint = i + 1 < above.length ? "→" : again ? "↻" : "";
    return [module, sign(x - 10, joint)];
  });
  const apart = beside.map(([width, height], i) => box(BESIDE, foot(i) + HIGH - height, width, height));
  const look = { class: "lrn-layers", viewBox: `0 0 80 ${GROUND + 1}`, "aria-hidden": "true" };
  return shape("svg", look, stack, dots, modules, apart);
}
