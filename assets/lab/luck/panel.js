// The panel Luck: the settings, one or two; what Python finds as dots, and the numbers under them.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { foldFields, makeForm } from "../form.js";
import { addPanel } from "../panels.js";
import { makeResults } from "../results.js";
import { shownSetting, showTree, treeFields, wordsByPrefix } from "../setting.js";
import { drawDots } from "./dots.js";
import { numbers, rows } from "./numbers.js";

/** @import { Drawn, PanelContext, Settings, Words } from "../types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Field } from "../form.js" */
/** @import { Found } from "./types.js" */

const PREFIX = "b_";

/** @param {PanelContext} bench @returns {Drawn} */
function luck(bench) {
  const { words } = bench;
  const start = shownSetting(bench.picture());
  const form = makeForm(fields(words, start), bench.asked, (values) => {
    compare(values);
    bench.keep(values);
  });
  const picture = el("div.lab-dots");
  const said = el("p.lab-sentence");
  const table = el("div.sv-scroll");
  const compare = (/** @type {Settings} */ values) => {
    showTree(form, values);
    form.show((name) => name.startsWith(PREFIX), values.compare === "yes");
    if (values.compare === "yes") showTree(form, values, PREFIX);
  };
  compare(form.values());

  /** @type {ReturnType<typeof makeResults<Found>>} */
  const results = makeResults(bench, form, "recorded_luck", paint);

  function paint(/** @type {Found | null} */ now) {
    if (!now) {
      for (const part of [picture, said, table]) part.replaceChildren();
      return;
    }
    picture.replaceChildren(drawDots(now, words, bench.width()), el("p.lab-note", null, words.legend));
    setText(said, now.sentence);
    table.replaceChildren(numbers(now, words));
  }

  return {
    controls: foldFields(form.nodes, bench.asked),
    picture: el("div.lab-stack", null, results.note, said, picture),
    numbers: [table, el("p.lab-note", null, explain(words.note))],
    ...results.panel,
    table() {
      const now = results.shown();
      return now && [words.csv.split("|"), ...rows(now)];
    },
    chart: () => picture.querySelector("svg"),
  };
}

/** @param {Words} words @param {Settings} start @returns {Field[]} */
function fields(words, start) {
  /** @param {PanelKey} name @param {string} [value] */
  const field = (name, value = start[name]) => ({ name, word: words[name], value });
  /** @param {PanelKey} name */
  const list = (name) => ({ ...field(name), options: wordsByPrefix(words, `${name}_`) });
  const temperature = Number(start.temperature) ? start.temperature : "0.8"; // at 0 seeds change no token
  /** @param {string} prefix @param {string} title @returns {Field[]} */
  const setting = (prefix, title) => [
    ...[
      { ...list("drafter"), word: `${title}: ${words.drafter}` },
      ...[field("K"), field("temperature", temperature), list("verifier"), list("drafting")],
    ].map((one) => ({ ...one, name: prefix + one.name })),
    ...treeFields(words, start, prefix),
  ];
  return [
    { ...field("prompt"), wide: true },
    ...[field("seeds", "30"), field("seed"), field("length", "64")],
    ...setting("", words.first_setting),
    { name: "compare", word: words.compare, value: "no", options: { no: words.alone, yes: words.second } },
    ...setting(PREFIX, words.second_setting),
  ];
}

addPanel("luck", luck);
