// What a run is set to, from fields, a link or a trace: each value checked by itself (specviz/config.py,
// specviz/page/settings.py).

import { RULES } from "../rules/all.js";
import { fillText } from "../shared/sentences.js";
import { mostOf } from "../trace/tree.js";

/** @import { Config } from "../engine/types.js" */
/** @import { Given, Setting, Values } from "./types.js" */

const NUMBER = /^-?\d{1,12}(\.\d{1,12})?$/;
const YES = ["true", "1", "yes", "on"];
const NO = ["false", "0", "no", "off"];

/** A value that a setting cannot have, in a sentence without its end. */
export class SettingError extends Error {}

/**
 * The value of a field or of a link, of the setting's own type. Raises SettingError.
 * @param {Setting} setting @param {string | boolean} value @param {Record<string, string>} words
 */
export function checkSetting(setting, value, words) {
  const found = typed(setting, value);
  if (found === undefined) throw new SettingError(valueRefusal(setting.label, String(value), setting.bound, words));
  return found;
}

/** @param {Setting} setting @param {string | boolean} value @returns {string | number | boolean | undefined} */
function typed({ kind, low, high, or_zero, choices, pattern, strings, characters }, value) {
  const text = String(value).trim();
  if (kind === "bool") return typeof value === "boolean" ? value : bool(text.toLowerCase());
  if (kind === "tuple") {
    const lines = String(value).split(/\r?\n/).filter(Boolean);
    return lines.length <= strings && lines.every((line) => [...line].length <= characters)
      ? lines.join("\n")
      : undefined;
  }
  if (kind === "str") {
    const right = pattern ? new RegExp(`^(?:${pattern})$`).test(text) : Object.hasOwn(choices, text);
    return right ? text : undefined;
  }
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  const whole = kind === "float" || Number.isInteger(number);
  return whole && ((number >= low && number <= high) || (or_zero && number === 0)) ? number : undefined;
}

/** @param {string} text */
const bool = (text) => (YES.includes(text) ? true : NO.includes(text) ? false : undefined);

/** @param {string} field @param {string} value @param {string} bound @param {Record<string, string>} words */
export function valueRefusal(field, value, bound, words) {
  const shown = value.length > 40 ? `${value.slice(0, 39)}…` : value;
  return fillText(words.value, { field, value: shown || words.empty, bound });
}

/**
 * The settings of a run, by the names of the engine. What belongs to another rule is out of sight, and left out. Raises
 * SettingError.
 * @param {Given} given @param {Values} values by key @returns {import("../engine/types.js").Config}
 */
export function configOf(given, values) {
  const { settings, words } = given;
  const found = settings.map((setting) => {
    const value = setting.rule && setting.rule !== values.verifier ? setting.start : values[setting.key];
    const right = checkSetting(setting, String(value ?? setting.start), words);
    return [setting.name, setting.kind === "tuple" ? String(right).split("\n").filter(Boolean) : right];
  });
  const config = Object.fromEntries(found);
  fits(given, config);
  return config;
}

/**
 * Whether settings go together (specviz/config.py). Raises SettingError.
 * @param {Given} given @param {Config} config */
function fits({ settings, words, deepest, widest }, config) {
  const { K, verifier, tree = "off" } = config;
  /** @param {string} name @param {string} bound @param {Record<string, unknown>} [values] */
  const not = (name, bound, values) => {
    const label = settings.find((one) => one.name === name)?.label ?? name;
    const value = String(/** @type {any} */ (config)[name]);
    return new SettingError(valueRefusal(label, value, fillText(words[bound], values), words));
  };
  if (config.grammar) throw not("grammar", "grammar_here");
  if (tree === "off" || !K) {
    if (K && RULES[verifier].trees === "only") throw not("verifier", "rule_of_trees");
    return;
  }
  if (K > deepest) throw not("K", "tree_deep", { most: deepest });
  const most = mostOf(config);
  if (most > widest) throw not("children", "tree_wide", { most: widest, K, found: most });
  if (config.adaptive) throw not("tree", "tree_adaptive");
  if (RULES[verifier].trees === "no") throw not("tree", "tree_rule", { rule: verifier });
  if (config.confidence || config.survival) throw not("tree", "tree_early");
  if (tree === "dynamic" && config.drafting === "sample" && config.temperature) throw not("tree", "tree_sampled");
}

/**
 * By its name, why a setting that is off stays off beside the others, and the rules that decide what is drafted
 * (specviz/config.py: excluded, rules_for).
 * @param {Given} given @param {Values} values by key @returns {{ why: Record<string, string>, rules: string[] }}
 */
export function exclusions({ settings, words }, values) {
  const isOff = (/** @type {string} */ name) => {
    const one = settings.find((each) => each.name === name);
    return !one || String(values[one.key]) === String(one.default);
  };
  const tree = !isOff("tree");
  /** @type {Record<string, string>} */
  const here = isOff("grammar") ? { grammar: words.grammar_here } : {}; // the engine of the browser has none
  const fitting = Object.keys(RULES).filter((name) => RULES[name].trees !== (tree ? "no" : "only"));
  if (tree) {
    const ways = { adaptive: "tree_adaptive_other", confidence: "tree_early_other", survival: "tree_early_other" };
    const off = Object.entries(ways).filter(([name]) => isOff(name));
    return { why: { ...here, ...Object.fromEntries(off.map(([name, word]) => [name, words[word]])) }, rules: fitting };
  }
  const rule = String(values.verifier);
  const against = {
    tree_adaptive: !isOff("adaptive"),
    tree_rule: RULES[rule]?.trees === "no",
    tree_early: !(isOff("confidence") && isOff("survival")),
  };
  const word = Object.entries(against).find(([, conflict]) => conflict)?.[0];
  return { why: word ? { ...here, tree: fillText(words[word], { rule }) } : here, rules: fitting };
}

/** The settings that made a run, by key. @param {Given} given @param {any} header of a picture @returns {Values} */
export function settingsOf({ settings, drafters }, header) {
  const values = settings.map(({ name, key }) => {
    const value = header.config[name];
    return [key, Array.isArray(value) ? value.join("\n") : value];
  });
  const kind = header.draft?.kind;
  const fits = drafters.filter(({ drawn }) => drawn === kind);
  const drafter = fits.find(({ key }) => header.draft.name.endsWith(`-${key}`)) ?? fits[0];
  return { prompt: header.prompt, ...Object.fromEntries(values), ...(drafter ? { drafter: drafter.key } : {}) };
}
