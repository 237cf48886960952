// When not to draft: many texts at once as measured; a 70B with an 8B on eight GPUs, by arithmetic; which experts
// of a mixture a block reads; why a server is slow with drafts, by four numbers (the causes: specviz/words/learn.toml).

import { band, between, chart, curve, dots, exact } from "../../chart/chart.js";
import { bar, boxText, button, el, legend, line, row, select, setText, shape, table } from "../../player/dom.js";
import { currentRun } from "../../player/page.js";
import { fillText, formatted, milliseconds, number, rounded, times } from "../../player/words.js";
import { slider } from "../../shared/exercise.js";
import { memoryOf, parametersRead, passMs, shadeNode, speedupFor, textCapacity } from "../../shared/formulas.js";
import { PAGE } from "../lesson.js";
import { oneDigitShare, views } from "../picture.js";

/** @import { Look } from "../../chart/types.js" */
/** @import { Batches, Busy, Experts, Picture, Sentence, Stage, View } from "../types.js" */
/** @import { Answers, Slow } from "../../shared/causes.js" */
/** @import { Size } from "../../shared/hardware.js" */
/** @import { Where, Work } from "../../shared/formulas.js" */

const [WIDTH, HEIGHT] = [400, 270];
const CHART_BEAT = 3; // the first beat with the chart, which answers what the first one asks

/** @param {Experts} mixture @param {Stage} stage @returns {View} */
function blockExperts(mixture, stage) {
  const { experts, chosen, block, blocks, large } = mixture;
  const tokens = block.tokens.length;
  const rows = block.chosen.map((layer, i) => layerRow(firstUsers(layer, experts), i));
  const words = block.tokens.map((text, i) => el("li", null, el("b", null, String(i + 1)), boxText(text)));
  const unions = drawUnions(mixture);
  const count = slider(PAGE.experts_tokens, 1, tokens, 1, (n) => {
    stage.player?.pauseForVisitor();
    show(n);
  });

  /** @param {number} n tokens of the block */
  function show(n) {
    count.show(n, String(n));
    for (const row of rows) row.show(n);
    for (const [i, word] of words.entries()) word.toggleAttribute("data-later", i >= n);
  }

  const expertsRead = (/** @type {number} */ n) => rows.reduce((sum, row) => sum + row.read(n), 0) / rows.length;
  const { n, union, formula, v } = blocks[tokens - 1];
  const byFormula = (/** @type {number} */ n) => number(parametersRead(large, n) / parametersRead(large, 1), 2);
  const costs = {
    ...{ n, two: number(blocks[1].v, 2), v: number(v, 2) },
    ...{ large: large.name, large_two: byFormula(2), large_v: byFormula(n) },
  };
  /** @type {[sentence: string, values: Record<string, unknown>, n: number][]} */
  const moments = [
    [PAGE.experts_ask, { chosen, experts, n }, 1],
    [PAGE.experts_two, { read: number(expertsRead(2), 1), experts }, 2],
    [PAGE.experts_block, { n, read: number(expertsRead(n), 1), experts }, n],
    [PAGE.experts_mean, { n, union: number(union, 1), formula: number(formula, 1) }, n],
    [PAGE.experts_v, costs, n],
    [PAGE.experts_slower, {}, n],
  ];
  return {
    node: el(
      "div.lrn-experts.sv-stack",
      null,
      el("ol.sv-flow", { "aria-label": PAGE.experts_tokens }, words),
      el(
        "div.lrn-experts-both",
        null,
        el(
          "div.sv-stack",
          null,
          el("div", null, legend(["target", PAGE.experts_first], ["draft", PAGE.experts_more]), ...rows.map(({ node }) => node)),
          count.root,
        ),
        unions,
      ),
      el("p.sv-note", null, fillText(PAGE.experts_where, { ...mixture, layers: rows.length })),
    ),
    sentences: moments.map(([sentence, values]) => [sentence, values]),
    show(i) {
      show(moments[i][2]);
      unions.toggleAttribute("data-later", i < CHART_BEAT);
    },
  };
}

/** By expert the token that uses it first, from 0; Infinity for none.
 * @param {number[][]} layer @param {number} experts */
const firstUsers = (layer, experts) =>
  Array.from({ length: experts }, (_, e) => {
    const at = layer.findIndex((choices) => choices.includes(e));
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  });

/** A cell for each expert, with the number of the token that uses it first.
 * @param {number[]} first @param {number} i */
function layerRow(first, i) {
  const name = fillText(PAGE.experts_layer, { n: i + 1 });
  const cells = first.map((at) =>
    el("span", { "data-series": at ? "draft" : "target" }, Number.isFinite(at) ? String(at + 1) : ""),
  );
  const picture = el("span.lrn-cells", { role: "img" }, cells);
  const value = el("output");
  const expertsRead = (/** @type {number} */ n) => first.filter((at) => at < n).length;
  return {
    node: el("div.lrn-experts-row", null, el("span", null, name), picture, value),
    read: expertsRead,
    /** @param {number} n */
    show(n) {
      const label = fillText(PAGE.experts_read, { n: expertsRead(n), experts: first.length });
      for (const [e, cell] of cells.entries()) cell.toggleAttribute("data-on", first[e] < n);
      picture.setAttribute("aria-label", `${name}: ${label}`);
      setText(value, label);
    },
  };
}

/** Experts that a layer reads by the length of a block. @param {Experts} mixture */
function drawUnions({ experts, blocks }) {
  const [row, apart, formula] = [PAGE.experts_row, PAGE.experts_apart, PAGE.experts_formula];
  const points = (/** @type {"union" | "apart" | "formula"} */ key, /** @type {string} */ name) =>
    blocks.map((block) => ({ x: block.n, y: block[key], title: `${name}, ${block.n}: ${number(block[key], 1)}` }));
  const [strong, dot, thin] = [{ series: "target", kind: "strong" }, { series: "draft" }, { series: "muted", kind: "same" }];
  const stroke = (/** @type {Look} */ { series = "", kind = "" }) =>
    shape("polyline", { class: "sv-chart-curve", points: "0,0 14,0", "data-series": series, "data-kind": kind });
  const plane = {
    frame: { x: 0, y: 0, width: WIDTH, height: HEIGHT },
    title: PAGE.experts_chart,
    keys: [
      { sign: stroke(strong), word: row },
      { sign: shape("circle", { class: "sv-chart-dot", cx: 7, r: 4, "data-series": "draft" }), word: apart },
      { sign: stroke(thin), word: formula },
    ],
    x: exact(1, blocks.length, blocks.length - 1, PAGE.experts_tokens),
    y: between(
      0,
      experts,
      [0, 1, 2, 3, 4].map((quarter) => (quarter * experts) / 4),
      PAGE.experts_up,
    ),
    marks: [
      band(
        blocks.map(({ n, low, high }) => ({ x: n, low, high })),
        { series: "target", kind: "interval" },
      ),
      curve(points("formula", formula), { ...thin, name: formula }),
      curve(points("union", row), { ...strong, name: row }),
      dots(points("apart", apart), { ...dot, name: apart }),
    ],
  };
  return chart({ width: WIDTH, planes: [plane] });
}

/** @typedef {Work & { alpha: number }} Setting */

const ALPHA = 0.7;
const ONE = { texts: 1, context: 2048, alpha: ALPHA };
const MANY = { texts: 512, context: 512, alpha: ALPHA };
const LONG = { texts: 32, context: 16384, alpha: ALPHA };

/** @typedef {{ read: number, compute: number, ms: number }} Pass milliseconds; the longer of the two is the pass */

const HEADS = { kv_heads: 8, head_size: 128 };

/** @type {Size} */
export const TARGET = { name: "Llama 3.1 70B", parameters: 70.6, layers: 80, heads: 64, ...HEADS };
/** @type {Size} */
export const DRAFT = { name: "Llama 3.1 8B", parameters: 8.03, layers: 32, heads: 32, ...HEADS };
/** @type {Where} NVIDIA H100 SXM by its data sheet: no overhead, no communication between the devices */
export const WHERE = { card: { bandwidth: 3350, peak: 989, memory: 80 }, devices: 8 };

const MAX_K = 8; // the largest that is tried

/** @param {Stage} stage @returns {View} */
export function server(stage) {
  const rows = el("div.sv-bars");
  const result = el("p.sv-strong");
  const memory = el("p.sv-note");
  /** @type {[sentence: string, setting: Setting][]} */
  const moments = [
    [PAGE.server_one, ONE],
    [PAGE.server_many, MANY],
    [PAGE.server_long, LONG],
    [PAGE.server_memory, LONG],
  ];
  /** @type {Setting} */
  let current = ONE;
  const sliders = {
    texts: slider(PAGE.server_texts, 0, 10, 1, (power) => moveTo({ ...current, texts: 2 ** power })),
    context: slider(PAGE.server_context, 7, 17, 1, (power) => moveTo({ ...current, context: 2 ** power })),
    alpha: slider(PAGE.server_alpha, 0, 1, 0.01, (alpha) => moveTo({ ...current, alpha })),
  };

  const own = currentRun.picture?.lanes.speculative?.numbers.alpha ?? null; // of the run in Watch
  const ownButton =
    own === null ? null : button(fillText(PAGE.server_own, { alpha: number(own, 2) }), () => moveTo({ ...current, alpha: own }));

  /** @param {Setting} setting */
  function moveTo(setting) {
    stage.player?.pauseForVisitor();
    show(setting);
  }

  /** @param {Setting} setting */
  function show(setting) {
    current = setting;
    const values = loadValues(setting);
    sliders.texts.show(Math.log2(setting.texts), String(setting.texts));
    sliders.context.show(Math.log2(setting.context), number(setting.context, 0));
    sliders.alpha.show(setting.alpha, number(setting.alpha, 2));
    rows.replaceChildren(...passRows(setting, values.K));
    const none = setting.texts > values.most; // the memory does not hold them: nothing else is an answer
    setText(result, fillText(none ? PAGE.server_full : values.pays ? PAGE.server_result : PAGE.server_none, values));
    setText(memory, none ? "" : fillText(PAGE.server_room, values));
  }

  const names = { target: TARGET.name, draft: DRAFT.name, devices: WHERE.devices };
  return {
    node: el(
      "div.lrn-server.sv-stack",
      null,
      el("h4", null, fillText(PAGE.server_title, names)),
      legend(["target", PAGE.server_read], ["compute", PAGE.server_compute]),
      rows,
      result,
      memory,
      el("div.lrn-sliders.sv-flow", null, sliders.texts.root, sliders.context.root, sliders.alpha.root, ownButton),
      el("p.sv-note", null, PAGE.server_note, " ", fillText(PAGE.server_assumed, { alpha: number(ALPHA, 1) })),
    ),
    sentences: moments.map(([sentence, setting]) => [sentence, loadValues(setting)]),
    show: (i) => show(moments[i][1]),
  };
}

/** What the sentences about a load are filled with. @param {Setting} setting */
function loadValues({ alpha, ...load }) {
  const { K, c, v, speedup } = bestSpeedup(load, alpha);
  const one = passTimes(TARGET, load, 1);
  const pace = (1e3 * load.texts) / one.ms;
  const [alone, most] = [null, DRAFT].map((draft) => textCapacity(TARGET, draft, WHERE, load.context));
  const memory = memoryOf(DRAFT, load.context);
  const counts = { context: load.context, pace, paced: pace * speedup, alone, drafting: most };
  return {
    ...rounded({ alpha, c, v, speedup, cache: memory.cache }),
    ...formatted({ each: one.ms, sooner: one.ms / speedup }, milliseconds),
    ...formatted(counts, (count) => number(count, 0)),
    ...{ texts: load.texts, K, weights: number(memory.weights, 1), most, pays: speedup > 1 },
  };
}

/** One pass, its check and its drafting: reading and arithmetic, on one scale.
 * @param {Setting} setting @param {number} K */
function passRows(setting, K) {
  const draft = passTimes(DRAFT, setting, 1);
  const passes = [
    { word: PAGE.server_pass, ...passTimes(TARGET, setting, 1) },
    { word: fillText(PAGE.server_check, { n: K + 1 }), ...passTimes(TARGET, setting, K + 1) },
    { word: fillText(PAGE.server_drafting, { K }), read: K * draft.read, compute: K * draft.compute, ms: K * draft.ms },
  ];
  const top = Math.max(...passes.map(({ ms }) => ms));
  const one = passes[0].ms;
  return passes.map(({ word, read, compute, ms }) => {
    const value = `${milliseconds(ms)} ms · ${times(ms / one)}`;
    return row(word, [bar("target", read, top), bar("compute", compute, top)], [value]);
  });
}

/** A pass over n tokens of each text. @param {Size} model @param {Work} load @param {number} n @returns {Pass} */
function passTimes(model, load, n) {
  const [read, compute] = passMs(model, WHERE, load, n);
  return { read, compute, ms: Math.max(read, compute) };
}

/** c of this load, and v of a check of K drafts. @param {Work} load @param {number} K */
export function costs(load, K) {
  const one = passTimes(TARGET, load, 1).ms;
  return { c: passTimes(DRAFT, load, 1).ms / one, v: passTimes(TARGET, load, K + 1).ms / one };
}

/** The K ≥ 1 of the largest speedup, also where none is above 1. @param {Work} load @param {number} alpha */
export function bestSpeedup(load, alpha) {
  const all = Array.from({ length: MAX_K }, (_, i) => {
    const K = i + 1;
    const { c, v } = costs(load, K);
    return { K, c, v, speedup: speedupFor(alpha, K, c, v) };
  });
  return all.reduce((best, one) => (one.speedup > best.speedup ? one : best));
}

const LEVELS = ["likely", "possible"];
const OPEN_CAUSES = 3; // causes; what is less likely is folded

/** @param {Slow} table @param {Answers} answers @returns {Record<string, number>} */
function measuresOf({ operations, experts, chosen }, { accepted, K, texts, model }) {
  const union = (/** @type {number} */ tokens) => 1 - (1 - chosen / experts) ** tokens;
  const verified = texts * (K + 1);
  return {
    busy: verified / operations,
    rejected: 1 - accepted,
    thrown: K * (1 - accepted),
    experts: model === "experts" ? union(verified) / union(texts) : 1,
    small: Number(model === "small"),
    always: 1,
  };
}

/** Those that are not unlikely, the likeliest first; of equal ones in the order of the table.
 * @param {Slow} table @param {Answers} answers */
export function causes(table, answers) {
  const measures = measuresOf(table, answers);
  return table.causes
    .map((cause) => {
      const level = measures[cause.by] >= cause.likely ? 0 : measures[cause.by] >= cause.possible ? 1 : 2;
      return { level, ...cause };
    })
    .filter(({ level }) => level < LEVELS.length)
    .sort((a, b) => a.level - b.level)
    .map(({ level, ...cause }) => ({ ...cause, level: LEVELS[level] }));
}

/** Four fields, and the causes under them. Nothing is listed while a field has no number that can be.
 * @param {Slow} table @param {{ [name in "accepted" | "K" | "texts"]: number }} example */
function slowPanel(table, { accepted, K, texts }) {
  const { words } = table;
  const number = (/** @type {number} */ value, /** @type {object} */ bounds) =>
    el("input.sv-input", { type: "number", inputmode: "decimal", value, ...bounds });
  const fields = {
    accepted: number(accepted, { min: 0, max: 1, step: "any" }),
    K: number(K, { min: 1, step: 1 }),
    texts: number(texts, { min: 1, step: "any" }),
    model: select(Object.entries(table.models)),
  };
  const list = el("ol.sv-causes", { "aria-live": "polite" });
  const others = el("ol.sv-causes", { start: OPEN_CAUSES + 1 });
  const readFields = () => {
    const [accepted, K, texts] = [fields.accepted, fields.K, fields.texts].map(({ value, validity }) =>
      value !== "" && validity.valid ? Number(value) : Number.NaN,
    );
    const answers = { accepted, K, texts, model: fields.model.value };
    const isComplete = ![accepted, K, texts].some(Number.isNaN);
    const items = isComplete ? causes(table, answers).map((cause) => item(cause, words)) : [];
    list.replaceChildren(...items.slice(0, OPEN_CAUSES));
    others.replaceChildren(...items.slice(OPEN_CAUSES));
  };
  for (const field of Object.values(fields)) field.addEventListener("input", readFields);
  readFields();
  const labels = Object.entries(fields).map(([key, field]) => el("label", null, words[key], " ", field));
  const more = el("details", null, el("summary", null, words.more), others, el("p.sv-note", null, words.is));
  return el("div.sv-slow", null, el("div.sv-fields.sv-flow", null, labels), list, more);
}

/** @param {{ cause: string, measure: string, level: string }} cause @param {Record<string, string>} words */
const item = ({ cause, measure, level }, words) =>
  el("li", null, cause, " ", el("span.sv-likely", null, words[level]), el("span.sv-note", null, measure));

const BEAT_MS = 2600;
const EXAMPLE = { accepted: 0.5, K: 4, texts: 32 };

/** @param {Busy} excerpt @param {Stage} stage @returns {Picture} */
export function busy({ measured, experts, slow: table }, stage) {
  const shortName = (/** @type {string} */ device) => device.replace(/,.*| \d+ ?GB.*/, ""); // the table says it whole
  const word = (/** @type {string} */ device) =>
    measured.length > 1 ? fillText(PAGE.busy_on, { device: shortName(device) }) : PAGE.busy;
  const sentences = /** @type {Sentence[]} */ ([[PAGE.slow_says]]);
  const parts = [
    ...measured.map((batches) => ({ ...batchMap(batches), word: word(batches.device) })),
    { ...server(stage), word: PAGE.server },
    ...(experts ? [{ ...blockExperts(experts, stage), word: PAGE.experts_view }] : []),
    { node: el("div", null, slowPanel(table, EXAMPLE)), sentences, word: PAGE.slow_view },
  ];
  return views("lrn-others", parts, BEAT_MS, stage);
}

/** The speedup by α and by how many texts share the machine, from passes that were measured. The rows under it say why
 * it fades: what a check costs there, and what the machine gives all texts together without drafting.
 * @param {Batches} batches @returns {View} */
function batchMap({ device, target, draft, context, batches: sizes, rows, spoken, block, v, alone }) {
  const cells = rows.map(({ best }) => best.map(cell));
  const costs = v.map((value) => el("td.lrn-cost", null, number(value, 2)));
  const paces = alone.map((value) => el("td.lrn-cost", null, number(value, 0)));
  const heads = [PAGE.busy_texts, ...sizes.map(String)];
  const lines = rows.map(({ alpha }, i) => line(`α ${oneDigitShare(alpha)}`, cells[i]));
  const under = [line(fillText(PAGE.busy_v, { n: block }), costs), line(PAGE.busy_alone, paces)];
  const caption = el("caption.sv-unseen", null, PAGE.busy_map);
  const map = table(".lrn-map.lrn-busy", heads, [lines, under], caption);
  const alpha = number(rows[spoken].alpha, 1);
  const sentences = sizes.map((B, j) => {
    const { K, speedup } = rows[spoken].best[j];
    const gains = j === sizes.length - 1 ? PAGE.busy_still : PAGE.busy_more;
    const sentence = B === 1 ? PAGE.busy_one : speedup > 1 ? gains : PAGE.busy_none;
    const values = { B, n: block, v: number(v[j], 2), alpha, K, speedup: number(speedup, 2) };
    return /** @type {Sentence} */ ([sentence, values]);
  });
  return {
    node: el(
      "div.lrn-speed.sv-stack",
      null,
      el("div.lrn-map-frame", null, map),
      el("p.sv-note", null, [PAGE.map_slower, PAGE.busy_small].join(" · ")),
      el("p.sv-note", null, fillText(PAGE.busy_where, { target, draft, device, context })),
    ),
    sentences,
    show(i) {
      for (const row of [...cells, costs, paces]) {
        for (const [j, node] of row.entries()) node.toggleAttribute("data-later", j > i);
      }
    },
  };
}

/** @param {{ K: number, speedup: number }} best */
function cell({ K, speedup }) {
  const gain = number(speedup, 2);
  const parts =
    speedup < 1
      ? [el("span", null, PAGE.busy_dont), el("small", null, ` ${gain}`)]
      : [el("span", null, gain), el("small", null, ` K\u00a0${K}`)];
  return shadeNode(el("td", null, parts), speedup);
}
