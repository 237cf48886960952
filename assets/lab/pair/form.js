// The fields of Your pair, and what they ask for: two models, a card, what is assumed.

import { currentRun } from "../../shared/current_run.js";
import { fillText } from "../../shared/sentences.js";
import { byKey, namesOf, numberIn } from "../form.js";

/** @import { PanelKey } from "../../shared/keys.js" */
/** @import { Settings, Words } from "../types.js" */
/** @import { Field } from "../form.js" */
/** @import { Hardware, Size } from "../../shared/hardware.js" */
/** @import { PairSetup } from "./arithmetic.js" */

const OTHER_MODEL = "other";
const MIN_TESTS = 5; // so many tests of a position are asked for before it is taken from a run

/** @typedef {{ text: string, source: string }} RunChances */

/**
 * What the run in Watch kept by position, given that it was reached.
 * @returns {RunChances | null}
 */
export function runChances() {
  const { picture } = currentRun;
  const positions = picture?.lanes.speculative?.numbers.by_position ?? [];
  const tested = positions.filter(({ reached }) => reached >= MIN_TESTS);
  if (!picture?.header.draft || !tested.length) return null;
  const chances = tested.map(({ reached, accepted }) => (accepted / reached).toFixed(2));
  return { text: chances.join(" "), source: `${picture.header.target.name} + ${picture.header.draft.name}` };
}

/** @param {Hardware} hardware @param {RunChances | null} run @param {Words} words @returns {Field[]} */
export function fields({ cards, models, engines }, run, words) {
  const modelNames = { ...namesOf(models), [OTHER_MODEL]: words.other };
  const widths = { 2: "2 (16 bits)", 1: "1 (8 bits)", 0.5: "½ (4 bits)", 4: "4 (32 bits)" };
  const field = (/** @type {PanelKey} */ name, /** @type {string} */ value) => ({ name, word: words[name], value });
  return [
    { ...field("target", "llama-3.1-70b"), options: modelNames },
    field("parameters", "70"),
    field("layers", "80"),
    { ...field("draft", "llama-3.1-8b"), options: modelNames },
    field("draft_parameters", "1"),
    field("draft_layers", "16"),
    { ...field("width", "2"), options: widths },
    { ...field("draft_width", "2"), options: widths },
    { ...field("card", "h100"), options: namesOf(cards) },
    field("devices", "4"),
    { ...field("engine", "compiled"), options: namesOf(engines) },
    field("context", "1024"),
    field("texts", "1"),
    field("alpha", run?.text ?? "0.7"),
    field("apart", "0.05"),
  ];
}

/**
 * The setup that the fields hold; in `refusal` what the first field may not be.
 * @param {Settings} values @param {Hardware} hardware @param {Words} words
 */
export function readSetup(values, hardware, words) {
  let refusal = "";
  const refuse = (/** @type {PanelKey} */ name, /** @type {string} */ bound) => {
    refusal ||= fillText(words.bad, { field: words[name], value: values[name] || "–", bound });
  };
  /** @param {PanelKey} name @param {number} least @param {number} most */
  const readNumber = (name, least, most) => {
    const value = numberIn(values[name], [least, most]);
    if (value !== null) return value;
    refuse(name, fillText(words.bound_number, { least, most }));
    return least;
  };
  /** @param {string} key @param {"" | "draft_"} prefix @returns {Size} */
  const sizeOf = (key, prefix) =>
    byKey(hardware.models, key) ??
    denseSize(readNumber(`${prefix}parameters`, 0.001, 5000), readNumber(`${prefix}layers`, 1, 500));
  const numbers = values.alpha.trim().split(/[\s,;]+/);
  const middleChances = numbers.map((part) =>
    /^(0?\.\d{1,6}|[01](\.0{0,6})?)$/.test(part) ? Number(part) : Number.NaN,
  );
  if (!middleChances.every((a) => a >= 0 && a <= 1)) refuse("alpha", words.bound_alpha);
  const apart = readNumber("apart", 0, 0.5);
  const shifted = (/** @type {number} */ shift) => middleChances.map((a) => Math.min(1, Math.max(0, a + shift)));
  const engine = byKey(hardware.engines, values.engine);
  /** @type {PairSetup} */
  const setup = {
    target: sizeOf(values.target, ""),
    draft: sizeOf(values.draft, "draft_"),
    card: byKey(hardware.cards, values.card),
    devices: Math.round(readNumber("devices", 1, 1024)),
    work: { texts: Math.round(readNumber("texts", 1, 4096)), context: Math.round(readNumber("context", 0, 1_000_000)) },
    assumed: {
      reach: hardware.reach,
      launch: engine.launch,
      width: Number(values.width),
      draftWidth: Number(values.draft_width),
    },
  };
  return {
    setup,
    chances: /** @type {[number[], number[], number[]]} */ ([shifted(-apart), middleChances, shifted(apart)]),
    refusal,
  };
}

/**
 * A model of which only these are known: 12·width² weights a layer give its width.
 * @param {number} parameters @param {number} layers @returns {Size}
 */
function denseSize(parameters, layers) {
  const heads = Math.max(8, Math.round(Math.sqrt((parameters * 1e9) / (12 * layers)) / 128));
  const shape = { layers, heads, kv_heads: 8, head_size: 128 };
  return { key: OTHER_MODEL, name: OTHER_MODEL, parameters, ...shape, active: null, experts: null, chosen: null };
}
