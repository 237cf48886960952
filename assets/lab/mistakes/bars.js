// What came against what must come: a bar for each outcome, the line of p, and how far a right rule may be off by luck.

import { number } from "../../shared/numbers.js";
import { scaleTop } from "../../shared/scale.js";
import { area, drawing, label, line, linear } from "../plot.js";

/** @import { Case, Law } from "./types.js" */

const ROW = 24;
const SIGMAS = 2; // 19 of 20 samples lie within

/**
 * @param {Case} now @param {Law} law of the rule @param {number[]} counts @param {number} width
 * @param {Record<string, string>} words
 */
export function bars(now, law, counts, width, words) {
  const n = Math.max(
    1,
    counts.reduce((a, b) => a + b, 0),
  );
  const name = Math.min(120, 0.25 * width);
  const x = linear(0, scaleTop([...now.p, ...law, ...counts.map((k) => k / n)]), name + 8, width - 60);
  const rows = now.names.map((outcome, i) => {
    const [y, p] = [i * ROW, now.p[i]];
    const off = SIGMAS * Math.sqrt((p * (1 - p)) / n);
    return [
      label(name, y + 17, outcome, "lab-name", "end"),
      area(x(0), y + 5, x(counts[i] / n) - x(0), ROW - 10, "brk-came"),
      area(x(Math.max(0, p - off)), y + 9, x(p + off) - x(Math.max(0, p - off)), ROW - 18, "brk-error"),
      line(x(p), y + 1, x(p), y + ROW - 1, "brk-p"),
      label(x.ticks.length ? width : width, y + 17, number(counts[i] / n, 3), "lab-label", "end"),
    ];
  });
  return drawing(width, ROW * now.names.length, words.bars, rows.flat());
}
