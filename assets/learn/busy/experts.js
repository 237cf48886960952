// Which experts of a mixture a block reads: of one recorded block layer by layer, and on average by its length.

import { between, exact } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { band, curve, dots } from "../../chart/marks.js";
import { legend } from "../../shared/bars.js";
import { el, setText } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { parametersRead } from "../../shared/serving.js";
import { shape } from "../../shared/shape.js";
import { slider } from "../../shared/slider.js";
import { boxText } from "../../shared/tokens.js";
import { PAGE } from "../lesson.js";

/** @import { Look } from "../../chart/types.js" */
/** @import { Experts, Stage, View } from "../types.js" */

const [WIDTH, HEIGHT] = [400, 270];
const CHART_BEAT = 3; // the first beat with the chart, which answers what the first one asks

/** @param {Experts} mixture @param {Stage} stage @returns {View} */
export function blockExperts(mixture, stage) {
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

  const read = (/** @type {number} */ n) => rows.reduce((sum, row) => sum + row.read(n), 0) / rows.length;
  const { n, union, formula, v } = blocks[tokens - 1];
  const byFormula = (/** @type {number} */ n) => number(parametersRead(large, n) / parametersRead(large, 1), 2);
  const costs = {
    ...{ n, two: number(blocks[1].v, 2), v: number(v, 2) },
    ...{ large: large.name, large_two: byFormula(2), large_v: byFormula(n) },
  };
  /** @type {[sentence: string, values: Record<string, unknown>, n: number][]} */
  const moments = [
    [PAGE.experts_ask, { chosen, experts, n }, 1],
    [PAGE.experts_two, { read: number(read(2), 1), experts }, 2],
    [PAGE.experts_block, { n, read: number(read(n), 1), experts }, n],
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
          el(
            "div",
            null,
            legend(["target", PAGE.experts_first], ["draft", PAGE.experts_more]),
            ...rows.map(({ node }) => node),
          ),
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

/**
 * By expert the token that uses it first, from 0; Infinity for none.
 * @param {number[][]} layer @param {number} experts
 */
const firstUsers = (layer, experts) =>
  Array.from({ length: experts }, (_, e) => {
    const at = layer.findIndex((choices) => choices.includes(e));
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  });

/**
 * A cell for each expert, with the number of the token that uses it first.
 * @param {number[]} first @param {number} i
 */
function layerRow(first, i) {
  const name = fillText(PAGE.experts_layer, { n: i + 1 });
  const cells = first.map((at) =>
    el("span", { "data-series": at ? "draft" : "target" }, Number.isFinite(at) ? String(at + 1) : ""),
  );
  const picture = el("span.lrn-cells", { role: "img" }, cells);
  const value = el("output");
  const read = (/** @type {number} */ n) => first.filter((at) => at < n).length;
  return {
    node: el("div.lrn-experts-row", null, el("span", null, name), picture, value),
    read,
    /** @param {number} n */
    show(n) {
      const label = fillText(PAGE.experts_read, { n: read(n), experts: first.length });
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
  const [strong, dot, thin] = [
    { series: "target", kind: "strong" },
    { series: "draft" },
    { series: "muted", kind: "same" },
  ];
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
