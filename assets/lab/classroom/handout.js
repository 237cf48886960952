// What was played as a page to print: the text, every round with its numbers, α of all, room to write. Nothing in it
// runs.

import { el } from "../../shared/dom.js";
import { probability } from "../../shared/numbers.js";
import { speechText } from "../../shared/speech.js";
import { table } from "../../shared/table.js";
import { csvRows } from "./state.js";
import { countsTable, textOf } from "./verdict.js";

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
  const [names, ...rows] = csvRows(state, words.csv);
  const tokens = rows.filter((row) => row[2] !== null).map((row) => row.slice(0, 7));
  const lines = tokens.map((row) => el("tr", null, ...row.map((cell) => el("td", null, cellText(cell)))));
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
    el("p", null, state.prompt, el("b", null, textOf({ ...state, prompt: "" }))),
    table("", names.slice(0, 7).map(String), lines),
    el("h2", null, words.tally),
    ...countsTable(state, words),
    el("h2", null, words.own),
    el("div.lines"),
    el("div.lines"),
  );
  return new XMLSerializer().serializeToString(page);
}

/** @param {unknown} cell */
function cellText(cell) {
  if (typeof cell === "number") return Number.isInteger(cell) ? String(cell) : probability(cell);
  return cell === null ? "" : speechText(String(cell));
}
