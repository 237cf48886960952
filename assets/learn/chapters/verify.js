// The block goes through the target at once, and K + 1 distributions come out, each on condition of what
// stands before it; then the measured times of both ways to scale, drafting and all.

import { bar, chip, el, row, share } from "../../player/dom.js";
import { fillText, formatted, milliseconds, probability } from "../../player/words.js";
import { PAGE } from "../lesson.js";
import { roundPicture } from "../picture.js";

/** @import { Position, Round } from "../../shared/types.js" */
/** @import { Picture, Scene } from "../types.js" */

const FEED_MS = 2200;
const PASS_AT = 2200;
const OUT_AT = 4400;
const IF_AT = 7000;
const TIMES_AT = 11000;
const TIMES_MS = 3600;
const ROWS = 3;
const REJECTED = 1; // the draft of which it is asked what would be if it were rejected, from 0

/** @param {Scene} excerpt @returns {Picture} */
export function verify({ before, round, one_ms }) {
  const { drafted, emitted, times } = round;
  const n = drafted.length + 1;
  const block = times.verify;
  const singles = n * one_ms;
  const whole = times.draft + block;
  const most = Math.max(whole, singles);
  const last = { text: before[before.length - 1].text, id: "" };
  const after = [last, ...drafted.map((d) => d.token)];
  const picture = roundPicture([round], [before[before.length - 1].text], { caches: false });
  const outputs = [...drafted, emitted[emitted.length - 1]].map(({ position }, i) => output(after[i], position));
  const drafting = bar("draft", 0, most);
  const one = bar("target", 0, most, times.draft);
  const many = Array.from({ length: n }, (_, i) => bar("target", 0, most, i * one_ms));
  const tracks = [
    track(fillText(PAGE.track_one, { n, K: n - 1 }), [drafting, one], whole),
    track(fillText(PAGE.track_many, { n }), many, singles),
  ];
  const grid = el("div.lrn-block", null, outputs);
  grid.style.setProperty("--n", String(n));
  const ms = formatted({ block, singles, one: one_ms, draft: times.draft, whole }, milliseconds);
  const values = { ...ms, n, K: n - 1, x: chip(drafted[REJECTED].token), used: REJECTED + 1, lost: n - REJECTED - 1 };
  return {
    node: el("div.lrn-verify", null, picture.root, grid, el("div.sv-bars.lrn-times", null, tracks)),
    beats: [
      { at: 0, sentence: [PAGE.verify_feed, values] },
      { at: PASS_AT, sentence: [PAGE.verify_pass, values] },
      { at: OUT_AT, sentence: [PAGE.verify_out, values] },
      { at: IF_AT, sentence: [PAGE.verify_if, values] },
      { at: TIMES_AT, sentence: [PAGE.verify_times, values] },
    ],
    tail: TIMES_MS + 400,
    paint(t) {
      picture.show(t < PASS_AT ? round.start + ((round.drafted_at - round.start) * t) / FEED_MS : passing(round, t));
      outputs.forEach((box, i) => {
        box.toggleAttribute("data-on", t >= OUT_AT);
        box.toggleAttribute("data-void", t >= IF_AT && t < TIMES_AT && i > REJECTED);
      });
      const now = most * Math.max(0, Math.min(1, (t - TIMES_AT) / TIMES_MS)); // both on one clock, as measured
      drafting.style.width = share(Math.min(now, times.draft), most);
      one.style.width = share(Math.max(0, Math.min(now, whole) - times.draft), most);
      for (const [i, piece] of many.entries()) piece.style.width = share(Math.max(0, Math.min(now - i * one_ms, one_ms)), most);
    },
  };
}

/** Lit while the pass goes on, and until a verdict falls in the next chapter. @param {Round} round @param {number} t */
function passing({ drafted_at, verified_at }, t) {
  return t < OUT_AT ? (drafted_at + verified_at) / 2 : verified_at;
}

/** @param {string} word @param {HTMLElement[]} parts @param {number} ms */
const track = (word, parts, ms) => row(word, parts, [fillText(PAGE.blocks_ms, { ms: milliseconds(ms) })]);

/** What comes out after it. @param {{ text: string, id: number | string }} token @param {Position | null} position */
function output(token, position) {
  const head = el("p.sv-note", null, el("span.lrn-after", null, PAGE.p_after, " "), chip(token));
  return el("div.lrn-out", null, head, position ? pRows(position) : null);
}

/** @param {Position} position */
function pRows(position) {
  const entries = [...position.entries].sort((a, b) => b.p - a.p).slice(0, ROWS);
  return entries.map((e) => row(chip(e.token), bar("p", e.p, 1), [probability(e.p)]));
}
