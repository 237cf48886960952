// α of people beside α of the drafters, on the same text: bars, and the counts under them.

import { bands, between } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { area, note } from "../../chart/marks.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fill } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { countExamined, standings } from "./state.js";

/** @import { State } from "./types.js" */

const LINE = 26;
const HALF = 0.31; // of a line, above and below the middle of a bar
const [NAME, VALUE] = [132, 54]; // px beside the bars

/** @param {State} state @param {Record<string, any>} words @param {number} width */
export function bars({ turns }, words, width) {
  const all = standings(turns);
  const names = all.map(({ name, people }) => (people ? `▸ ${name}` : name));
  const y = bands(names);
  for (const [i, tick] of y.ticks.entries()) tick.strong = all[i].people;
  const marks = all.flatMap(({ name, people, alpha }, i) => {
    const rows = { y0: i - HALF, y1: i + HALF };
    const value = number(alpha, 2);
    return [
      area({ ...rows, x0: 0, x1: 1 }, { kind: "whole" }),
      area({ ...rows, x0: 0, x1: alpha ?? 0 }, { series: people ? "draft" : "target", heard: [`${name}: ${value}.`] }),
      note({ x: 1, y: i }, value, { dx: 6, dy: 5, kind: people ? "value" : undefined }),
    ];
  });
  const frame = { x: 0, y: 0, width, height: all.length * LINE };
  const margin = { left: NAME, right: VALUE, top: 0, bottom: 0 };
  return chart({ width, planes: [{ frame, margin, x: between(0, 1, []), y, marks }], says: `${words.tally}.` });
}

/** @param {State} state @param {Record<string, any>} words */
export function counts({ turns }, words) {
  if (!turns.length) return [];
  const all = standings(turns);
  const heads = ["who", "drafted", "tested", "accepted", "alpha"].map((name) => words[`${name}_column`]);
  const rows = all.map(({ name, drafted, tested, accepted, alpha }) =>
    line(name, [...[drafted, tested, accepted].map(String), number(alpha, 2)]),
  );
  return [
    table(".sv-table.lab-table.ppl-counts", heads, rows),
    el("p.lab-note", null, fill(words.tally_note, { n: countExamined(all) })),
  ];
}
