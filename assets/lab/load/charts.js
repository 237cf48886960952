// Two charts of a load: the speedup by how many texts share the server, for a few K and for the best; and what each
// text gets against what all get together.

import { number } from "../../shared/numbers.js";
import { filled } from "../../shared/sentences.js";
import { bestOf, served, servedBy } from "../../shared/serving.js";
import { shape } from "../../shared/shape.js";
import { across, apart, marks, scale, upward } from "../axis.js";
import { drawn } from "../plot.js";

/** @import { Load } from "./panel.js" */

const LEFT = 52;
const RIGHT = 44;
const TOP = 44;
const BOTTOM = 46;
const KS = [1, 2, 4, 8];
const NAME = 14; // px that the name of a line takes

/** @param {Load} load @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawLoads({ grid, passesOf, alpha, texts }, words, width) {
  const lines = KS.map((K) =>
    grid.map((n) => served(passesOf(n), [alpha], Math.min(K, passesOf(n).target.length - 1), n).speedup),
  );
  const best = grid.map((n) => bestOf(servedBy(passesOf(n), [alpha], n)));
  const at = marks(0, Math.max(1.2, ...lines.flat(), ...best.map(({ speedup }) => speedup)), 5);
  const { svg, height } = ground(width, words.by_load, words.speedup, words.texts_axis);
  const bottom = height - BOTTOM;
  const x = scale([0, grid.length - 1], LEFT, width - RIGHT);
  const y = scale(at, bottom, TOP);
  svg.append(...upward(at, y, LEFT, width - RIGHT).flat());
  grid.forEach((n, i) => {
    if (grid.length < 8 || i % 2 === 0) svg.append(text("lab-mark", x(i), bottom + 16, String(n), "middle"));
  });
  const none = best.findIndex(({ K }) => K === 0);
  if (none >= 0 && best.slice(none).every(({ K }) => K === 0)) {
    const from = x(Math.max(0, none - 0.5));
    svg.append(
      shape("rect", { class: "lab-zero", x: from, y: TOP, width: width - RIGHT - from, height: bottom - TOP }),
    );
    svg.append(text("lab-mark", (from + width - RIGHT) / 2, TOP + 16, words.zero_wins, "middle"));
  }
  svg.append(shape("line", { class: "lab-one", x1: LEFT, x2: width - RIGHT, y1: y(1), y2: y(1) }));
  for (const line of lines) svg.append(curve(line.map((value, i) => [x(i), y(value)])));
  const ends = apart(
    lines.map((line) => y(line[line.length - 1])),
    NAME,
  );
  ends.forEach((end, k) => {
    svg.append(text("lab-point", width - RIGHT + 5, end + 4, `K ${KS[k]}`, "start"));
  });
  svg.append(
    curve(
      best.map(({ speedup }, i) => [x(i), y(speedup)]),
      "first",
    ),
  );
  const now = grid.indexOf(texts);
  svg.append(shape("line", { class: "lab-here", x1: x(now), x2: x(now), y1: TOP, y2: bottom }));
  const label = filled(words.at_best, { K: best[now].K, speedup: number(best[now].speedup, 2) });
  const right = x(now) < width * 0.6;
  svg.append(shape("circle", { class: "lab-spot", "data-look": "first", cx: x(now), cy: y(best[now].speedup), r: 6 }));
  svg.append(text("lab-value", x(now) + (right ? 9 : -9), y(best[now].speedup) - 9, label, right ? "start" : "end"));
  return svg;
}

/** @param {Load} load @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawTrade({ grid, passesOf, alpha, texts }, words, width) {
  const by = grid.map((n) => servedBy(passesOf(n), [alpha], n));
  const sets = [by.map((all) => all[0]), by.map(bestOf)];
  const pairs = sets.map((set) => set.map(({ latency, pace }) => [1e3 / latency, pace]));
  const [acrossAt, upAt] = [0, 1].map((i) => marks(0, Math.max(...pairs.flat().map((pair) => pair[i])), 4));
  const { svg, height } = ground(width, words.trade, words.server_pace, words.text_pace);
  const bottom = height - BOTTOM;
  const x = scale(acrossAt, LEFT + 10, width - RIGHT);
  const y = scale(upAt, bottom, TOP);
  svg.append(...across(acrossAt, x, TOP, bottom).flat(), ...upward(upAt, y, LEFT + 10, width - RIGHT).flat());
  const now = grid.indexOf(texts);
  pairs.forEach((points, i) => {
    const look = i ? "first" : "again";
    svg.append(
      curve(
        points.map(([each, all]) => [x(each), y(all)]),
        look,
      ),
    );
    svg.append(
      shape("circle", { class: "lab-spot", "data-look": look, cx: x(points[now][0]), cy: y(points[now][1]), r: 6 }),
    );
    const [each, all] = points[0];
    const word = i ? words.with_drafts : words.without;
    svg.append(text("lab-point", x(each), y(all) - 10 - 14 * i, word, x(each) > width * 0.7 ? "end" : "start"));
  });
  return svg;
}

/** @param {number} width @param {string} title @param {string} beside @param {string} under */
function ground(width, title, beside, under) {
  const height = Math.min(360, Math.max(280, width * 0.7));
  const svg = drawn(width, height, title, "lab-drawn");
  svg.append(text("lab-title", 0, 14, title, "start"), text("lab-mark", 0, 32, `↑ ${beside}`, "start"));
  svg.append(text("lab-mark", width - RIGHT, height - 6, `${under} →`, "end"));
  return { svg, height };
}

/** @param {number[][]} points @param {string} [look] strong, in a colour of its own */
function curve(points, look) {
  const at = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const node = shape("polyline", { class: "lab-curve", points: at, "data-look": look ?? null });
  node.toggleAttribute("data-strong", look !== undefined);
  return node;
}

/** @param {string} look @param {number} x @param {number} y @param {string} words @param {string} anchor */
const text = (look, x, y, words, anchor) => shape("text", { class: look, x, y, "text-anchor": anchor }, words);
