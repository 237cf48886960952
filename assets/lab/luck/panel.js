// The panel Luck: the settings, one or two; what Python finds as dots, and the numbers under them.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { table } from "../../shared/table.js";
import { foldFields, makeForm } from "../form.js";
import { addPanel } from "../panels.js";
import { makeResults } from "../results.js";
import { drafterWord, shapeWord, showTree, treeFields, watchSettings } from "../setting.js";
import { drawDots, MEASURES, settingWord } from "./dots.js";

/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Field } from "../form.js" */
/** @import { PanelContext, PanelView, Settings, Words } from "../types.js" */
/** @import { LuckResult, Spread } from "./types.js" */

const SECOND_PREFIX = "b_";

/** @param {PanelContext} context @returns {PanelView} */
function luck(context) {
  const { words } = context;
  const start = watchSettings();
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

/**
 * @param {string | null} name of this and the next lines, `rows` in all @param {string} measure
 * @param {Spread | null} spread
 */
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
    return [
      ...cells,
      dot.alpha,
      dot.tokens_a_round,
      dot.speedup,
      dot.disturbed ? "" : dot.by_processor ? "processor" : "wall",
    ];
  });
}

addPanel("luck", luck);
