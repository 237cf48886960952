// The panel Luck: the settings, one or two, and every run a dot: a picture each for α, tokens a round and the speedup; a
// row each for a setting, and for one seed again and again. A disturbed run has no dot among the speedups.

import { area, bands, chart, curve, dots, linear, rule } from "../chart/chart.js";
import { el, setText, table } from "../player/dom.js";
import { explain } from "../player/page.js";
import { fillText, number } from "../player/words.js";
import { drafterWord, foldFields, makeForm, makeResults, shapeWord, showTree, treeFields, watchSettings } from "./frame.js";

/** @import { Mark, Plane } from "../chart/types.js" */
/** @import { Field } from "./frame.js" */
/** @import { LuckResult, LuckRun, Measure, PanelContext, PanelView, Settings, Spread, Words } from "./types.js" */
/** @import { PanelKey } from "../shared/keys.js" */

/** @typedef {{ word: string, dots: LuckRun[], spread: Spread | null, series: string }} Row */

/** @type {Measure[]} */
const MEASURES = ["speedup", "tokens_a_round", "alpha"];
const [ROW_PX, NAMED_ROW_PX] = [58, 76]; // whose name stands beside it; above its dots
const MARGIN = { left: 8, right: 8, top: 28, bottom: 34 };
const MARGINS_PX = MARGIN.top + MARGIN.bottom;
const GAP_PX = 28;
const LABEL_PX = 128;
const WIDE_PX = 720;

/** @param {LuckResult} result @param {Words} words @param {number} width @returns {SVGSVGElement} */
export function drawDots(result, words, width) {
  const beside = width >= WIDE_PX;
  const plotWidth = beside ? (width - LABEL_PX - GAP_PX * (MEASURES.length - 1)) / MEASURES.length : width;
  const planes = MEASURES.map((measure, i) => {
    const rows = rowsOf(result, measure, words);
    const plotHeight = rows.length * (beside ? ROW_PX : NAMED_ROW_PX) + MARGINS_PX;
    const place = beside ? { x: LABEL_PX + i * (plotWidth + GAP_PX), y: 0 } : { x: 0, y: i * plotHeight };
    const frame = { ...place, width: plotWidth, height: plotHeight };
    return { ...planeOf(rows, measure, words, !beside, !beside || !i), frame, margin: MARGIN };
  });
  return chart({ width, planes, says: result.sentence });
}

/** @param {LuckResult["settings"][number]} setting @param {Words} words */
const settingWord = (setting, words) =>
  fillText(words.row_setting, {
    K: setting.K,
    drafter: drafterWord(setting.drafter, words),
    shape: shapeWord(setting, words),
  });

/** @param {LuckResult} result @param {Measure} measure @param {Words} words @returns {Row[]} */
function rowsOf({ settings, dots, spreads, same }, measure, words) {
  const timedRuns = measure === "speedup" ? dots.filter(({ disturbed }) => !disturbed) : dots;
  /** @type {Row[]} */
  const rows = settings.map((setting, i) => ({
    word: settingWord(setting, words),
    dots: timedRuns.filter((dot) => dot.setting === i && !dot.again),
    spread: spreads[i][measure],
    series: i ? "draft" : "target",
  }));
  const again = timedRuns.filter((dot) => dot.again || dot === dots[0]);
  const word = fillText(words.row_again, { seed: dots[0]?.seed ?? 0 });
  return [...rows, { word, dots: again, spread: measure === "speedup" ? same : null, series: "muted" }];
}

/** @param {Row[]} rows @param {Measure} measure @param {Words} words @param {boolean} inside
 * @param {boolean} hasNames @returns {Omit<Plane, "frame">} */
function planeOf(rows, measure, words, inside, hasNames) {
  const values = rows.flatMap(({ dots }) => dots.map((dot) => dot[measure])).filter((value) => value !== null);
  const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const x = linear(Math.min(low, measure === "speedup" ? 1 : low), Math.max(high, low + 0.01), 4);
  const y = bands(
    rows.map(({ word }) => (hasNames ? word : "")),
    { inside },
  );
  const one = measure === "speedup" ? [rule({ x: 1 })] : [];
  return { title: words[measure], x, y, marks: [...one, ...rows.flatMap((row, i) => marksOf(row, i, measure, words))] };
}

/** The median, its interval, and the dots: those that would cover each other stand at different heights, the same ones
 * each time.
 * @param {Row} row @param {number} i @param {Measure} measure @param {Words} words @returns {Mark[]} */
function marksOf({ dots: all, spread, series }, i, measure, words) {
  const points = all.flatMap((dot, n) => {
    const value = dot[measure];
    if (value === null) return [];
    const title = fillText(words.dot, { seed: dot.seed, value: number(value, 2) });
    return [{ x: value, y: i - 0.16 + ((n * 0.618) % 1) * 0.48, title }];
  });
  const marks = [dots(points, { series, r: 4 })];
  if (!spread) return marks;
  const { low, median, high } = spread;
  const ends = [i - 0.26, i + 0.43].map((y) => ({ x: median, y }));
  const interval = area({ x0: low, x1: high, y0: i - 0.22, y1: i + 0.4 }, { series, kind: "interval", least: 2 });
  return [interval, curve(ends, { series, kind: "strong" }), ...marks];
}

const SECOND_PREFIX = "b_";

/** @param {PanelContext} context @returns {PanelView} */
export function luck(context) {
  const { words } = context;
  const start = watchSettings(context);
  const form = makeForm(fields(context, start), context.linkSettings, (values) => {
    showComparedFields(values);
    context.updateLink(values);
  });
  const picture = el("div");
  const sentence = el("p.lab-sentence");
  const table = el("div.sv-scroll");
  const showComparedFields = (/** @type {Settings} */ values) => {
    showTree(form, values);
    form.show((name) => name.startsWith(SECOND_PREFIX), values.compare === "yes");
    if (values.compare === "yes") showTree(form, values, SECOND_PREFIX);
  };
  showComparedFields(form.values());

  /** @type {ReturnType<typeof makeResults<LuckResult>>} */
  const results = makeResults(context, form, "recorded_luck", draw, csvRows, ({ settings }) => ({
    setting: settingWord(settings[0], words),
  }));

  function draw(/** @type {LuckResult} */ result) {
    picture.replaceChildren(drawDots(result, words, context.width()), el("p.lab-note", null, words.legend));
    setText(sentence, result.sentence);
    table.replaceChildren(numbersTable(result, words));
  }

  return {
    controls: foldFields(form.nodes, context.linkSettings),
    picture: el("div.lab-stack", null, results.note, sentence, picture),
    numbers: [table, el("p.lab-note", null, explain(words.note))],
    ...results.view,
    chart: () => picture.querySelector("svg"),
  };
}

/** @param {PanelContext} context @param {Settings} start @returns {Field[]} */
function fields(context, start) {
  const { words } = context;
  /** @param {PanelKey} name @param {string} [value] */
  const field = (name, value = start[name]) => ({ name, word: words[name], value });
  /** @param {PanelKey} name */
  const list = (name) => ({ ...field(name), options: context.options(`${name}_`) });
  const temperature = Number(start.temperature) ? start.temperature : "0.8"; // at 0 seeds change no token
  /** @param {string} prefix @param {string} title @returns {Field[]} */
  const setting = (prefix, title) => [
    ...[
      { ...list("drafter"), word: `${title}: ${words.drafter}` },
      ...[field("K"), field("temperature", temperature), list("verifier"), list("drafting")],
    ].map((field) => ({ ...field, name: prefix + field.name })),
    ...treeFields(context, start, prefix),
  ];
  return [
    { ...field("prompt"), wide: true },
    ...[field("seeds", "30"), field("seed"), field("length", "64")],
    ...setting("", words.first_setting),
    { name: "compare", word: words.compare, value: "no", options: { no: words.alone, yes: words.second } },
    ...setting(SECOND_PREFIX, words.second_setting),
  ];
}

/** @param {LuckResult} result @param {Words} words */
function numbersTable({ settings, spreads, same, ratio }, words) {
  const heads = [words.setting_head, "", words.median, words.interval, words.quartiles];
  const lines = settings.flatMap(({ drafter, K, temperature, verifier, ...tree }, i) =>
    MEASURES.map((measure, n) => {
      const name = `${drafterWord(drafter, words)}, K ${K}, T ${temperature}, ${verifier}${shapeWord(tree, words)}`;
      const spread = spreads[i][measure];
      const rowName = n ? null : `${name}, ${fillText(words.of_seeds, { n: spreads[i].speedup?.runs ?? 0 })}`;
      return spreadLine(rowName, words[measure], spread, MEASURES.length);
    }),
  );
  lines.push(spreadLine(fillText(words.of_again, { n: same?.runs ?? 0 }), words.speedup, same));
  if (ratio) lines.push(spreadLine(words.ratio, words.speedup, ratio));
  return table(".sv-table.lab-table", heads, lines);
}

/** @param {string | null} name of this and the next lines, `rows` in all @param {string} measure
 * @param {Spread | null} spread */
function spreadLine(name, measure, spread, rows = 1) {
  const range = (/** @type {number} */ a, /** @type {number} */ b) => `${number(a, 2)} – ${number(b, 2)}`;
  const cells = spread
    ? [number(spread.median, 2), range(spread.low, spread.high), range(spread.first, spread.third)]
    : ["–", "–", "–"];
  const parts = [measure, ...cells].map((text) => el("td", null, text));
  return el("tr", null, name === null ? null : el("th", { scope: "rowgroup", rowspan: rows }, name), parts);
}

/** @param {LuckResult} result @returns {(string | number | null)[][]} */
function csvRows({ dots, settings }) {
  return dots.map((dot) => {
    const { drafter, K, temperature, verifier, drafting, tree = "off", children, nodes } = settings[dot.setting];
    const shape = { off: "", static: children, dynamic: nodes }[tree] ?? "";
    const cells = [dot.setting + 1, drafter, K, temperature, verifier, drafting, shape, dot.seed, dot.again ? 1 : 0];
    return [...cells, dot.alpha, dot.tokens_a_round, dot.speedup, dot.disturbed ? "" : dot.by_processor ? "processor" : "wall"];
  });
}
