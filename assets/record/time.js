// What a server reported over time: tokens a step as dots, requests at a time as a grey line behind.

import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { WORDS } from "../shared/words.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Moment } from "./types.js" */

const [HEIGHT, LEFT, BOTTOM, TOP] = [160, 34, 22, 20];
export const WIDTH = Math.min(460, (globalThis.innerWidth || 460) - 32); // so that text is as large on a phone

/** @param {Moment[]} moments @returns {Child} */
export function overTime(moments) {
  const known = moments.filter(({ tokens_per_step }) => tokens_per_step !== null);
  if (known.length < 2) return null;
  const lengths = known.map((moment) => moment.tokens_per_step ?? 0);
  const last = moments[moments.length - 1].seconds || 1;
  const most = Math.max(2, Math.ceil(Math.max(...lengths)));
  const x = (/** @type {number} */ seconds) => LEFT + ((WIDTH - LEFT - 6) * seconds) / last;
  const y = (/** @type {number} */ length) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (length - 1) / (most - 1));
  const loaded = moments.some(({ running }) => running !== null);
  const [least, largest] = [Math.min(...lengths), Math.max(...lengths)].map((length) => number(length, 2));
  const label = plain("record_moments_label", {
    what: WORDS.record_tokens_per_step,
    minutes: number(last / 60, 1),
    least,
    most: largest,
  });
  const svg = shape(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "sv-past" },
    axis(y, most),
    times(x, last),
    loaded ? load(moments, x) : null,
    known.map((m) => shape("circle", { cx: x(m.seconds), cy: y(m.tokens_per_step ?? 0), r: 3, class: "sv-past-dot" })),
  );
  const numbers = moments.map((m) =>
    [m.seconds, m.tokens_per_step, m.running].map((n) => number(n, n === m.seconds ? 0 : 2)).join(" "),
  );
  return [
    el("h4", null, WORDS.record_moments),
    el("p.sv-note", null, WORDS.record_tokens_per_step),
    svg,
    el("p.sv-note", null, WORDS[loaded ? "record_moments_is" : "record_moments_is_alone"]),
    el("details.sv-note", null, el("summary", null, WORDS.record_moments_numbers), el("p", null, numbers.join("; "))),
  ];
}

/** @param {(length: number) => number} y @param {number} most */
function axis(y, most) {
  const every = Math.ceil((most - 1) / 4);
  const ticks = Array.from({ length: Math.floor((most - 1) / every) + 1 }, (_, i) => 1 + i * every);
  return ticks.flatMap((tick) => [
    shape("line", { x1: LEFT, x2: WIDTH - 6, y1: y(tick), y2: y(tick), class: "sv-past-grid" }),
    shape("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end", class: "sv-past-text" }, String(tick)),
  ]);
}

/** @param {(seconds: number) => number} x @param {number} last */
function times(x, last) {
  const [by, unit] = last >= 7200 ? [3600, "h"] : last >= 120 ? [60, "min"] : [1, "s"];
  const ends = [0, last / 2, last];
  return ends.map((seconds, i) => {
    const anchor = i === 0 ? "start" : i === 1 ? "middle" : "end";
    const text = `${number(seconds / by, by === 1 || !seconds ? 0 : 1)} ${unit}`;
    return shape("text", { x: x(seconds), y: HEIGHT - 6, "text-anchor": anchor, class: "sv-past-text" }, text);
  });
}

/** @param {Moment[]} moments @param {(seconds: number) => number} x */
function load(moments, x) {
  const most = Math.max(1, ...moments.map(({ running }) => running ?? 0));
  const height = HEIGHT - TOP - BOTTOM;
  const points = moments.map(({ seconds, running }) => `${x(seconds)},${TOP + height * (1 - (running ?? 0) / most)}`);
  return [
    shape("polyline", { points: points.join(" "), class: "sv-past-load" }),
    shape(
      "text",
      { x: WIDTH - 6, y: TOP - 6, "text-anchor": "end", class: "sv-past-text" },
      plain("record_moments_load", { most: number(most, 0) }),
    ),
  ];
}
