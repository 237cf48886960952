// The fields of Your pair, and what they ask for: two models, a card, what is assumed.

import { fillText } from "../../shared/sentences.js";
import { namesOf } from "../form.js";

/** @import { Picture } from "../../shared/types.js" */
/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Settings, Words } from "../types.js" */
/** @import { Field } from "../form.js" */
/** @import { Card, Hardware, Size } from "../../shared/hardware.js" */
/** @import { Asked } from "./arithmetic.js" */

const OTHER = "other";
const FEWEST = 5; // so many tests of a position are asked for before it is taken from a run

/** @typedef {{ text: string, source: string }} Own */

/**
 * What the run in Watch kept by position, given that it was reached.
 * @param {Picture | null} picture @returns {Own | null}
 */
export function ownChances(picture) {
  const by = picture?.lanes.speculative?.numbers.by_position ?? [];
  const enough = by.filter(({ reached }) => reached >= FEWEST);
  if (!picture?.header.draft || !enough.length) return null;
  const chances = enough.map(({ reached, accepted }) => (accepted / reached).toFixed(2));
  return { text: chances.join(" "), source: `${picture.header.target.name} + ${picture.header.draft.name}` };
}

/** @param {Hardware} hardware @param {Own | null} own @param {Words} words @returns {Field[]} */
export function fields({ cards, models, engines }, own, words) {
  const all = { ...namesOf(models), [OTHER]: words.other };
  const widths = { 2: "2 (16 bits)", 1: "1 (8 bits)", 0.5: "½ (4 bits)", 4: "4 (32 bits)" };
  const field = (/** @type {PanelKey} */ name, /** @type {string} */ value) => ({ name, word: words[name], value });
  return [
    { ...field("target", "llama-3.1-70b"), options: all },
    field("parameters", "70"),
    field("layers", "80"),
    { ...field("draft", "llama-3.1-8b"), options: all },
    field("draft_parameters", "1"),
    field("draft_layers", "16"),
    { ...field("width", "2"), options: widths },
    { ...field("draft_width", "2"), options: widths },
    { ...field("card", "h100"), options: namesOf(cards) },
    field("devices", "4"),
    { ...field("engine", "compiled"), options: namesOf(engines) },
    field("context", "1024"),
    field("texts", "1"),
    field("alpha", own?.text ?? "0.7"),
    field("apart", "0.05"),
  ];
}

/**
 * What is asked, or in `wrong` the first that may not be.
 * @param {Settings} values @param {Hardware} hardware @param {Words} words
 */
export function askedPair(values, hardware, words) {
  let wrong = "";
  const refuse = (/** @type {PanelKey} */ name, /** @type {string} */ bound) => {
    wrong ||= fillText(words.bad, { field: words[name], value: values[name] || "–", bound });
  };
  /** @param {PanelKey} name @param {number} least @param {number} most */
  const read = (name, least, most) => {
    const value = /^\s*\d{1,7}(\.\d{1,6})?\s*$/.test(values[name]) ? Number(values[name]) : Number.NaN;
    if (value >= least && value <= most) return value;
    refuse(name, fillText(words.bound_number, { least, most }));
    return least;
  };
  /** @param {string} key @param {"" | "draft_"} prefix @returns {Size} */
  const size = (key, prefix) =>
    hardware.models.find((model) => model.key === key) ??
    dense(read(`${prefix}parameters`, 0.001, 5000), read(`${prefix}layers`, 1, 500));
  const parts = values.alpha.trim().split(/[\s,;]+/);
  const middle = parts.map((part) =>
    /^(0?\.\d{1,6}|[01](\.0{0,6})?|0\.\d{1,6})$/.test(part) ? Number(part) : Number.NaN,
  );
  if (!middle.every((a) => a >= 0 && a <= 1)) refuse("alpha", words.bound_alpha);
  const apart = read("apart", 0, 0.5);
  const moved = (/** @type {number} */ by) => middle.map((a) => Math.min(1, Math.max(0, a + by)));
  const engine = hardware.engines.find(({ key }) => key === values.engine) ?? hardware.engines[0];
  /** @type {Asked} */
  const asked = {
    target: size(values.target, ""),
    draft: size(values.draft, "draft_"),
    card: /** @type {Card} */ (hardware.cards.find(({ key }) => key === values.card)),
    devices: Math.round(read("devices", 1, 1024)),
    work: { texts: Math.round(read("texts", 1, 4096)), context: Math.round(read("context", 0, 1_000_000)) },
    assumed: {
      reach: hardware.reach,
      launch: engine.launch,
      width: Number(values.width),
      draftWidth: Number(values.draft_width),
    },
  };
  return {
    asked,
    chances: /** @type {[number[], number[], number[]]} */ ([moved(-apart), middle, moved(apart)]),
    wrong,
  };
}

/**
 * A model of which only these are known: 12·width² weights a layer give its width.
 * @param {number} parameters @param {number} layers @returns {Size}
 */
function dense(parameters, layers) {
  const heads = Math.max(8, Math.round(Math.sqrt((parameters * 1e9) / (12 * layers)) / 128));
  const shape = { layers, heads, kv_heads: 8, head_size: 128 };
  return { key: OTHER, name: OTHER, parameters, ...shape, active: null, experts: null, chosen: null };
}
