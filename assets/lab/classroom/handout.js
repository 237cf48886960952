// What was played as a page to print: the text, every round with its numbers, α of all, room to write. Nothing in it
// runs.

import { el } from "../../shared/dom.js";
import { number, probability } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { spoken } from "../../shared/spoken.js";
import { table as tableOf } from "../../shared/table.js";
import { countExamined, standings, table } from "./state.js";

/** @import { State } from "./types.js" */

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}" +
  "body{color:#111;background:#fff}" +
  "table{border-collapse:collapse;margin:1rem 0;width:100%}" +
  "th,td{border:1px solid #999;padding:.2rem .5rem;text-align:start}" +
  "tr{break-inside:avoid}.lines{border-bottom:1px solid #999;height:2rem}";

/** @param {State} state @param {Record<string, any>} words @param {string} title */
export function handout(state, words, title) {
  const page = document.implementation.createHTMLDocument(title);
  const [names, ...rows] = table(state, words.csv);
  const tokens = rows.filter((row) => row[2] !== null).map((row) => row.slice(0, 7));
  const all = standings(state.turns);
  const grid = (/** @type {unknown[]} */ heads, /** @type {unknown[][]} */ cells) =>
    tableOf(
      "",
      heads.map(String),
      cells.map((row) => el("tr", null, ...row.map((cell) => el("td", null, written(cell))))),
    );
  page.documentElement.lang = "en";
  page.head.append(
    el("meta", { charset: "utf-8" }),
    el("meta", { "http-equiv": "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" }),
    el("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    el("style", null, STYLE),
  );
  page.body.append(
    el("h1", null, title),
    el("p", null, words.handout_note, ` ${words.temperature} ${state.temperature}, ${words.seed} ${state.seed}.`),
    el("h2", null, words.text),
    el(
      "p",
      null,
      state.prompt,
      el(
        "b",
        null,
        state.text.filter(({ role }) => role !== "prompt").map(({ token }) => token.text),
      ),
    ),
    grid(names.slice(0, 7), tokens),
    el("h2", null, words.tally),
    grid(
      ["who", "drafted", "tested", "accepted", "alpha"].map((name) => words[`${name}_column`]),
      all.map((one) => [one.name, one.drafted, one.tested, one.accepted, number(one.alpha, 2)]),
    ),
    el("p", null, fillText(words.tally_note, { n: countExamined(all) })),
    el("h2", null, words.own),
    el("div.lines"),
    el("div.lines"),
  );
  return new XMLSerializer().serializeToString(page);
}

/** @param {unknown} cell */
function written(cell) {
  if (typeof cell === "number") return Number.isInteger(cell) ? String(cell) : probability(cell);
  return cell === null ? "" : spoken(String(cell));
}
