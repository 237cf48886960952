// Two runs of this visit side by side: what was set differently, and what that came to.

import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { line, wordTable } from "../shared/table.js";
import { cellText, clockTime, comparable, factor, unclear } from "./runs.js";

/** @import { Run, Words } from "./runs.js" */

/** @param {Run[]} runs @param {string[]} chosen ids of at most two @param {Words} words @returns {HTMLElement[]} */
export function comparison(runs, chosen, words) {
  const [a, b] = runs.filter(({ id }) => chosen.includes(id));
  if (!b) return runs.length > 1 ? [el("p.sv-note", null, a ? words.choose_one : words.choose_two)] : [];
  const settings = Object.keys(a.settings);
  const same = settings.filter((name) => cellText(a, name, words) === cellText(b, name, words));
  const names = [...settings.filter((name) => !same.includes(name)), ...comparable(a, b)];
  const shared = same.map((name, i) => {
    const value = el("bdi", null, cellText(a, name, words));
    return [" ", words[name], " ", value, i === same.length - 1 ? "." : ","];
  });
  const notes = [];
  if (a.disturbed || b.disturbed) notes.push(words.counts_only);
  if (a.settings.prompt !== b.settings.prompt) notes.push(words.other_prompt);
  if (["device", "threads"].some((name) => a.settings[name] !== b.settings[name])) notes.push(words.machines);
  const rows = names.map((name) => compared(name, a, b, words));
  return [
    wordTable("", heads(a, b, words), rows),
    el("p.sv-note.sv-same", null, words.same_in_both, shared),
    ...notes.map((note) => el("p.sv-note", null, note)),
  ];
}

/** @param {Run} a @param {Run} b @param {Words} words */
const heads = (a, b, words) => [
  null,
  fillText(words.first, { time: clockTime(a) }),
  fillText(words.second, { time: clockTime(b) }),
  words.difference,
];

/**
 * Numbers differ by a factor, settings differ or do not: in words, so that no colour is needed.
 * @param {string} name @param {Run} a @param {Run} b @param {Words} words
 */
function compared(name, a, b, words) {
  const [x, y] = [cellText(a, name, words), cellText(b, name, words)];
  const ratio = factor(a, b, name);
  const by = unclear(a, b, name) ? words.unclear : fillText(words.times, { ratio: number(ratio, 2) });
  const differs = ratio === null ? words.differs : by;
  const cells = [...[x, y].map((value) => el("bdi", null, value)), x === y ? words.same : differs];
  return line(words[name], cells, { "data-name": name, "data-same": x === y ? "" : null });
}
