// What Your pair assumes, and what the same arithmetic makes of measurements that were published.

import { el } from "../../shared/dom.js";
import { number, percent } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { byKey } from "../form.js";
import { checkPublished } from "./arithmetic.js";

/** @import { Settings, Words } from "../types.js" */
/** @import { Hardware } from "../../shared/hardware.js" */
/** @import { PairSetup, PublishedCheck } from "./arithmetic.js" */

/** @param {PairSetup} setup @param {Settings} values @param {Hardware} hardware @param {Words} words */
export function assumptionList({ card, assumed }, values, { engines }, words) {
  const [low, high] = assumed.reach;
  const [fast, slow] = assumed.launch;
  const engine = byKey(engines, values.engine).name;
  const lines = [
    fillText(words.assumed_reach, { low: number(100 * low, 0), high: number(100 * high, 0), source: card.source }),
    fillText(words.assumed_launch, { low: fast, high: slow, engine }),
    words.assumed_cache,
    words.assumed_independent,
    words.assumed_rest,
  ].map((line) => el("li", null, line));
  return el("div", null, el("h3", null, words.assumed), el("ul.lab-list", null, lines));
}

/** @param {Hardware} hardware @param {Words} words */
export function checkTable(hardware, words) {
  const lines = hardware.published.map((published) => {
    const check = checkPublished(hardware, published);
    const cells = check.published === null ? alphaCells(published.speedup, check, words) : measuredCells(check, words);
    return line([published.name, el("small", null, ` ${published.source}`)], cells);
  });
  const heads = [null, words.check, words.found, words.between, words.off];
  const scrolls = el("div.sv-scroll", null, table(".sv-table.lab-table", heads, lines));
  return el("div", null, el("h3", null, words.checks), scrolls);
}

/** @param {PublishedCheck} check @param {Words} words */
function measuredCells({ what, published, middle, low, high, off }, words) {
  const digits = what === "ms" ? 1 : 2;
  const unit = what === "ms" ? ` ${words.ms}` : "×";
  const inside = (published ?? 0) >= low && (published ?? 0) <= high;
  const sign = (off ?? 0) > 0 ? "+" : "−";
  return [
    `${number(published, digits)}${unit}`,
    `${number(middle, digits)}${unit}`,
    `${number(low, digits)} – ${number(high, digits)}`,
    `${sign}${percent(Math.abs(off ?? 0))}, ${inside ? words.inside : words.outside}`,
  ];
}

/**
 * The α that a published speedup takes, where none was told.
 * @param {number | undefined} speedup @param {PublishedCheck} check @param {Words} words
 */
function alphaCells(speedup, { middle, low, high }, words) {
  const between = `${number(low, 2)} – ${number(high, 2)}`;
  const sentence = fillText(words.alpha_needed, { alpha: number(middle, 2) });
  return [`${number(speedup ?? 0, 2)}×`, sentence, between, "–"];
}
