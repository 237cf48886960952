// β at every position that a run tested, in order, and the line of their mean, α.

import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { share } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";
import { mean } from "../tally.js";

/** @param {number[]} betas */
export function overlaps(betas) {
  const alpha = mean(betas);
  const bars = betas.map((beta) => {
    const bar = el("i");
    bar.style.height = share(beta, 1);
    return bar;
  });
  const line = el("span.lrn-alpha", null, el("b", null, `α = ${number(alpha, 2)}`));
  line.style.bottom = share(alpha, 1);
  const label = fillText(PAGE.overlaps_label, { n: betas.length, alpha: number(alpha, 2) });
  const chart = el("div.lrn-overlap-bars", { role: "img", "aria-label": label }, bars, line);
  return { root: el("div.lrn-overlaps", null, el("h4", null, PAGE.overlaps), chart), alpha, n: betas.length };
}
