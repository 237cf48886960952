// What a load gives, in sentences and as a table by K.

import { formatted, milliseconds, number, percent, rounded, times } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { bestOf, servingByK } from "../../shared/serving.js";
import { line, table } from "../../shared/table.js";

/** @import { Words } from "../types.js" */
/** @import { Load } from "./panel.js" */
/** @import { Served } from "../../shared/hardware.js" */

const LISTED_K = 9; // K from 0 to 8 are listed

/** The first is what it comes to. @param {Load} load @param {Served[]} here by K @param {Words} words */
export function loadSentences(load, here, words) {
  const { texts, measured } = load;
  const best = bestOf(here);
  const values = {
    ...{ texts, K: best.K, thrown: percent(best.thrown) },
    ...formatted({ latency: best.latency, alone: here[0].latency }, milliseconds),
    ...formatted({ pace: best.pace, paced: here[0].pace }, (pace) => number(pace, 0)),
    ...rounded({ speedup: best.speedup, one: here[1].speedup }),
  };
  return [
    fillText(best.K ? words.best : words.none, values),
    zeroSentence(load, words),
    fillText(words.where_measured, { ...measured }),
  ];
}

/**
 * From which load on 0 wins.
 * @param {Pick<Load, "grid" | "passesOf" | "alpha">} load @param {Record<string, string>} words
 */
export function zeroSentence({ grid, passesOf, alpha }, words) {
  const paysAt = grid.map((texts) => bestOf(servingByK(passesOf(texts), [alpha], texts)).K > 0);
  const last = paysAt.lastIndexOf(true);
  if (last < 0) return words.zero_always;
  const none = grid.filter((_, i) => i < last && !paysAt[i]).join(", ");
  const between = none ? "_between" : "";
  return last < grid.length - 1
    ? fillText(words[`zero${between}`], { none, texts: grid[last + 1] })
    : fillText(words[`zero_never${between}`], { none, texts: grid[last] });
}

/** @param {Served[]} here @param {Served} best @param {Record<string, string>} words */
export function kTable(here, best, words) {
  const names = [words.K, words.tokens, words.step, words.latency, words.speedup, words.pace, words.thrown];
  const lines = here.slice(0, Math.max(LISTED_K, best.K + 1)).map((one) => {
    const cells = [
      number(one.tokens, 2),
      milliseconds(one.step),
      milliseconds(one.latency),
      times(one.speedup),
      number(one.pace, 0),
      percent(one.thrown),
    ];
    const mark = one.K === best.K ? `${one.K} ◂ ${words.best_K}` : String(one.K);
    return line(mark, cells, one === best ? { "data-best": "" } : null);
  });
  return table(".sv-table.lab-table", names, lines);
}

/** What CSV saves: every K at every load. @param {Load} load @param {Record<string, string>} words */
export const csvRows = ({ grid, alpha, passesOf }, words) => [
  words.csv.split("|"),
  ...grid.flatMap((texts) =>
    servingByK(passesOf(texts), [alpha], texts).map((one) => {
      return [texts, one.K, one.tokens, one.step, one.latency, one.speedup, one.pace, one.thrown];
    }),
  ),
];
