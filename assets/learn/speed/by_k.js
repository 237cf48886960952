// Acceptance by position at each K, as small multiples, and where the rounds start: why the first token of a long block
// is accepted less often.

import { between, steps } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { curve, dots, note, rule } from "../../chart/marks.js";
import { roundNumbers } from "../../chart/ticks.js";
import { el } from "../../shared/dom.js";
import { number, percent } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";
import { onceABeat } from "../views.js";

/** @import { AtK, ByK, View } from "../types.js" */

const [WIDTH, HEIGHT] = [180, 160]; // px of one plot
const BELOW = 0.05; // room for the number under a first position
const [FIRSTS, ALL, STARTS] = [1, 2, 3]; // beats from which more is visible than K = 1

/** @param {ByK} recorded @returns {View} */
export function byK({ target, draft, temperature, prompts, seeds, rows }) {
  const shares = rows.flatMap(({ accepted }) => accepted);
  const ends = roundNumbers(Math.min(...shares) - BELOW, Math.max(...shares), 3);
  const last = rows[rows.length - 1];
  const firsts = rows.map(({ rejected }) => rejected);
  const values = {
    ...{ target, draft, temperature, prompts, seeds, last: last.K },
    most: number(rows[0].rounds, 0),
    least: number(last.rounds, 0),
    one: percent(rows[0].accepted[0]),
    long: percent(last.accepted[0]),
    late: percent(last.accepted[last.K - 1]),
    low: percent(Math.min(...firsts)),
    high: percent(Math.max(...firsts)),
    easy: percent(Math.min(...rows.map(({ whole }) => whole))),
    few: percent(rows[0].after),
    many: percent(last.after),
  };
  const plots = el("div.lrn-by-k");
  return {
    node: el(
      "div.lrn-speed.sv-stack",
      null,
      el("h4", null, PAGE.k_title),
      plots,
      el("p.sv-note", null, PAGE.k_line),
      el("p.sv-note", null, fillText(PAGE.k_where, values)),
    ),
    sentences: [PAGE.k_1, PAGE.k_2, PAGE.k_3, PAGE.k_4, PAGE.k_5].map((text) => [text, values]),
    show: onceABeat((i) => {
      plots.replaceChildren(...rows.map((row) => plot(row, rows[0].accepted[0], last.K, ends, i)));
    }),
  };
}

/** The first `beat`s show less of it. @param {AtK} row @param {number} level of K = 1 @param {number} most
 * @param {number[]} ends of the scale, in shares @param {number} beat */
function plot({ K, accepted, after }, level, most, ends, beat) {
  const visible = K > 1 && beat < FIRSTS ? [] : beat < ALL ? accepted.slice(0, 1) : accepted;
  const points = visible.map((y, i) => {
    const share = percent(y);
    return { x: i, y, title: fillText(PAGE.k_value, { position: i + 1, share }) };
  });
  const [first] = points;
  const marks = [
    rule({ y: level }),
    curve(points, { series: "target" }),
    dots(points.slice(1), { series: "target", r: 3, sentences: points.slice(1).map(({ title }) => `${title}.`) }),
    ...(first
      ? [
          dots([first], { series: "target", kind: "spot", r: 5, sentences: [`${first.title}.`] }),
          note(first, percent(first.y), { dx: 4, dy: K === 1 ? -9 : 19, kind: "value" }),
        ]
      : []),
  ];
  const positions = Array.from({ length: most }, (_, i) => String(i + 1));
  const plane = {
    frame: { x: 0, y: 0, width: WIDTH, height: HEIGHT },
    title: fillText(PAGE.k_plane, { K }),
    caption: beat >= STARTS ? fillText(PAGE.k_after, { after: percent(after) }) : "\u00a0",
    x: steps(positions),
    y: between(ends[0], ends[ends.length - 1], ends, "", (share) => `${number(100 * share, 0)} %`),
    marks,
  };
  return chart({ width: WIDTH, planes: [plane] });
}
