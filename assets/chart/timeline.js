// The timeline of a run: both lanes on one axis of milliseconds, and what each round spent on drafting, on the target's pass
// and on the rest. The same drawing stands on the page and in a file. And what any chart has: its texts, and where an axis of
// numbers has marks.

import { shape } from "../player/dom.js";
import { milliseconds, number, plain, WORDS } from "../player/words.js";

/** @import { Look } from "./types.js" */
/** @import { Lane, Picture, Round } from "../shared/types.js" */

/** @typedef {Picture["lanes"]} Lanes */

const PARTS = /** @type {const} */ (["draft", "verify", "rest"]);

/** The lanes that there are, from top to bottom. @param {Lanes} lanes */
export const lanesOf = ({ vanilla, speculative }) => [vanilla, speculative].filter((lane) => lane !== null);

/** @param {Lanes} lanes */
export const hasRounds = (lanes) => lanesOf(lanes).some(({ rounds }) => rounds.length > 0);

/** How long the longer lane took, in ms. @param {Lanes} lanes */
export const longestOf = (lanes) => Math.max(1e-9, ...lanesOf(lanes).map(({ duration }) => duration));

/** A colour and a word for each part of a round. @returns {[series: string, word: string][]} */
export const keyOf = () => PARTS.map((part) => [part, WORDS[`timeline_${part}`]]);

/** What is heard of it: of each lane, what its parts took together. @param {Lanes} lanes */
function timelineText(lanes) {
  const sentences = lanesOf(lanes).map(({ name, rounds }) => {
    const sumOf = (/** @type {string} */ part) =>
      rounds.flatMap(barsOf).reduce((sum, bar) => sum + (bar.part === part ? bar.to - bar.from : 0), 0);
    const parts = PARTS.map((part) => [part, milliseconds(sumOf(part))]);
    return plain("timeline_lane", { lane: WORDS[name], ...Object.fromEntries(parts) });
  });
  return [`${WORDS.timeline_label}.`, ...sentences].join(" ");
}

/** What of a round took time, and when. @param {Round} round */
function barsOf(round) {
  const moments = [round.start, round.drafted_at, round.verified_at, round.end];
  return PARTS.map((part, i) => ({ part, from: moments[i], to: moments[i + 1] })).filter(({ from, to }) => to > from);
}

export const LETTER = 7.4; // px of a letter, of 14 px text

/** @param {Look} look */
export const lookAttributes = ({ series, kind }) => ({ "data-series": series ?? null, "data-kind": kind || null });

/** @param {number} x @param {number} y @param {string} words @param {string} [anchor] @param {Look} [look] */
export const text = (x, y, words, anchor = "start", look = {}) =>
  shape("text", { class: "sv-chart-text", x, y, "text-anchor": anchor, ...lookAttributes(look) }, words);

/** A text in lines of at most so many letters, as far as its words allow.
 * @param {string} text @param {number} letters */
export function wrapWords(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (lines[last] && lines[last].length + 1 + word.length > letters) lines.push(word);
    else lines[last] = `${lines[last]} ${word}`.trim();
  }
  return lines;
}

/** A name that stays in one line, and ends where the room does. @param {string} name @param {number} letters */
export const shortenName = (name, letters) =>
  (name.length > letters ? `${name.slice(0, letters - 1)}…` : name).replaceAll(" ", "\u00a0");

/** Round numbers from below `low` to above `high`, about so many steps.
 * @param {number} low @param {number} high @param {number} about @returns {number[]} */
export function roundNumbers(low, high, about) {
  const span = Math.max(high - low, 1e-9);
  const rough = span / about;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough * 0.999) ?? 10 * ten;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** The round numbers from `from` to `to`. @param {number} from @param {number} to @param {number} about */
export const roundNumbersInside = (from, to, about) =>
  roundNumbers(from, to, about).filter((value) => value >= from && value <= to * (1 + 1e-9));

/** Writes numbers with the digits that tell these apart. @param {number[]} at */
export function numberWriter(at) {
  const step = at.length > 1 ? at[1] - at[0] : 1;
  const digits = Math.max(0, Math.min(4, -Math.floor(Math.log10(step) + 1e-9)));
  return (/** @type {number} */ value) => number(value, digits);
}

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Edges */

const MARGIN = { left: 112, right: 12, top: 30, bottom: 40 }; // px, as in player/screen.css
const HEIGHT = 190; // px
const BAR_SHARE = 0.65; // of a lane's height
const TICK_GAP = 110; // px from one tick to the next, about
const TICK = { kind: "tick" };

/** As wide as its place on the page. @param {Lanes} lanes @param {number} width */
export function timelineChart(lanes, width) {
  const svg = timelineDrawing(lanes, { ...MARGIN, width, height: HEIGHT });
  svg.style.inlineSize = "100%";
  return svg;
}

/** A sentence where no round was decoded. @param {Lanes} lanes @param {typeof MARGIN & { width: number, height: number }} size */
export function timelineDrawing(lanes, { width, height, ...margin }) {
  if (!hasRounds(lanes)) {
    const line = text(0, margin.top, WORDS.timeline_none);
    return shape("svg", { class: "sv-chart", viewBox: `0 0 ${width} ${margin.top + 10}`, role: "group" }, line);
  }
  const edges = { ...margin, right: width - margin.right, bottom: height - margin.bottom };
  const { left, right, top, bottom } = edges;
  const rows = lanesOf(lanes);
  const longest = longestOf(lanes);
  const place = (/** @type {number} */ ms) => left + ((right - left) * ms) / longest;
  const ticks = roundNumbersInside(0, longest, Math.max(2, width / TICK_GAP));
  const write = numberWriter(ticks);
  const box = { class: "sv-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": timelineText(lanes) };
  return shape(
    "svg",
    box,
    ticks.map((ms) => shape("line", { class: "sv-chart-grid", x1: place(ms), x2: place(ms), y1: top, y2: bottom })),
    ticks.map((ms) => text(place(ms), bottom + 16, write(ms), "middle", TICK)),
    text(right, height - 6, `${WORDS.timeline_unit} →`, "end", TICK),
    rows.map(({ name }, i) => text(left - 8, top + ((bottom - top) * (i + 0.5)) / rows.length + 5, WORDS[name], "end")),
    // a pixel of the rest, which may take less, stands over what is beside it: it shows where a round ends
    keyOf().flatMap(([series]) => rows.flatMap((lane, i) => bars(lane, series, place, rowOf(i, rows.length, edges)))),
  );
}

/** Where the bars of a row stand. @param {number} i @param {number} rows @param {Edges} edges */
function rowOf(i, rows, { top, bottom }) {
  const high = (bottom - top) / rows;
  return { y: top + high * (i + (1 - BAR_SHARE) / 2), height: high * BAR_SHARE };
}

/** @param {Lane} lane @param {string} series @param {(ms: number) => number} place
 * @param {{ y: number, height: number }} row */
function bars({ name, rounds }, series, place, row) {
  return rounds.flatMap((round, i) =>
    barsOf(round)
      .filter(({ part }) => part === series)
      .map(({ part, from, to }) => {
        const title = plain("timeline_bar", {
          round: i + 1,
          part: WORDS[`timeline_${part}`],
          ms: number(to - from, 2),
        });
        const about = { class: "sv-chart-area", "data-series": series, "data-lane": name, "data-round": i };
        const size = { x: place(from), width: Math.max(1, place(to) - place(from)), ...row };
        return shape("rect", { ...about, ...size }, shape("title", {}, title));
      }),
  );
}
