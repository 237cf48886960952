// What Your pair assumes, and what the same arithmetic makes of measurements that were published.

import { el } from "../../shared/dom.js";
import { number, percent } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { check } from "./arithmetic.js";

/** @import { Settings, Words } from "../types.js" */
/** @import { Hardware } from "../../shared/hardware.js" */
/** @import { Asked, Check } from "./arithmetic.js" */

/** @param {Asked} asked @param {Settings} values @param {Hardware} hardware @param {Words} words */
export function assumptions({ card, assumed }, values, { engines }, words) {
  const [low, high] = assumed.reach;
  const [fast, slow] = assumed.launch;
  const engine = engines.find(({ key }) => key === values.engine)?.name;
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
  const lines = hardware.published.map((said) => {
    const found = check(hardware, said);
    const digits = found.what === "ms" ? 1 : 2;
    const cells = found.published === null ? needed(said.speedup, found, words) : measured(found, digits, words);
    return line([said.name, el("small", null, ` ${said.source}`)], cells);
  });
  const heads = [null, words.check, words.found, words.between, words.off];
  const scrolls = el("div.sv-scroll", null, table(".sv-table.lab-table", heads, lines));
  return el("div", null, el("h3", null, words.checks), scrolls);
}

/** @param {Check} found @param {number} digits @param {Words} words */
function measured({ what, published, middle, low, high, off }, digits, words) {
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
 * @param {number | undefined} speedup @param {Check} found @param {Words} words
 */
function needed(speedup, { middle, low, high }, words) {
  const between = `${number(low, 2)} – ${number(high, 2)}`;
  const told = fillText(words.alpha_needed, { alpha: number(middle, 2) });
  return [`${number(speedup ?? 0, 2)}×`, told, between, "–"];
}
