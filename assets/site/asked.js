// What a panel of the Lab asks of the worker, each value read as strictly as a link (specviz/page/lab/asked.py).

import { fillText } from "../shared/sentences.js";
import { promptOf } from "./link.js";
import { SettingError, configOf as settled, valueRefusal } from "./settings.js";

/** @import { Config, Work } from "../engine/types.js" */
/** @import { Settings } from "../lab/types.js" */
/** @import { Given } from "./types.js" */
/** @typedef {{ work: Work, keys: string[], ran?: Settings }} Asked `keys`: of drafters; `ran`: as a link to Watch */
/** @typedef {Record<string, string>} Words of the panel */

const TREE = ["tree", "children", "nodes"];
const NAMED = ["K", "temperature", "verifier", "drafting", ...TREE, "seed", "length"];

/** @type {Record<string, (given: Given, words: Words, sent: Settings) => Asked>} each raises SettingError */
export const requestParsers = { luck, sweep };

/** @param {Given} given @param {Words} words @param {Settings} sent @returns {Asked} */
function luck(given, words, sent) {
  const prefixes = sent.compare === "yes" ? ["", "b_"] : [""];
  const settings = prefixes.map((prefix) => {
    const own = (/** @type {string} */ name) => [sent[prefix + name], sent[name]].find((value) => value?.trim());
    const [key] = drafters(given, [own("drafter") ?? ""]);
    return { drafter: key, config: configOf(given, own) };
  });
  const without = settings.find(({ config }) => !config.K);
  if (without) throw refusal(given, words.K, "0", "whole", { low: 1, high: 32 });
  const seeds = whole(given, words.seeds, sent.seeds || "30", 2, 100);
  const keys = [...new Set(settings.map(({ drafter }) => drafter))];
  return { work: { type: "luck", ...begun(given, sent, keys), settings, seeds }, keys };
}

/** @param {Given} given @param {Words} words @param {Settings} sent @returns {Asked} */
function sweep(given, words, sent) {
  const few = (/** @type {string} */ label, /** @type {string} */ text, /** @type {number} */ most) => {
    const parts = [...new Set(text.split(/[,;\s]+/).filter(Boolean))];
    if (!parts.length || parts.length > most) throw refusal(given, label, text, "several", { most });
    return parts;
  };
  const keys = drafters(given, few(words.drafters, sent.drafters ?? words.first, 16));
  const ks = few(words.Ks, sent.Ks ?? words.first_Ks, 8).map((text) => whole(given, words.Ks, text, 1, 16));
  const warmth = few(words.temperatures, sent.temperatures ?? words.first_temperatures, 4);
  const turns = whole(given, words.turns, sent.turns || "3", 1, 10);
  const cells = warmth.map((temperature) =>
    ks.map((K) => {
      const own = /** @type {Settings} */ ({ ...sent, K: String(K), temperature, verifier: "", drafting: "" });
      return configOf(given, (name) => own[name]);
    }),
  );
  const temperatures = cells.map(([{ temperature }]) => temperature);
  const config = cells[0][0];
  const ran = /** @type {Settings} */ ({ prompt: sent.prompt, seed: String(config.seed) });
  for (const name of TREE) ran[name] = String(config[/** @type {keyof Config} */ (name)]);
  return { work: { type: "sweep", ...begun(given, sent, keys), config, over: { ks, temperatures, turns } }, keys, ran };
}

/** @param {Given} given @param {Settings} sent @param {string[]} keys */
function begun(given, sent, keys) {
  return { target: given.target.name, drafts: draftsOf(given, keys), prompt: promptOf(sent.prompt ?? "", given) };
}

/** What drafts, as the engine takes it, by key. @param {Given} given @param {string[]} keys */
export const draftsOf = (given, keys) =>
  Object.fromEntries(given.drafters.flatMap(({ key, draft }) => (keys.includes(key) ? [[key, draft]] : [])));

/** The settings of a run, without top-k and top-p; what `own` names none of is as the engine has it.
 * @param {Given} given @param {(name: string) => string | undefined} own @returns {Config} */
export function configOf(given, own) {
  const values = given.settings.map(({ key, default: initial }) => {
    const asked = NAMED.includes(key) ? own(key)?.trim() : "";
    return [key, asked || initial];
  });
  return settled(given, Object.fromEntries(values));
}

/** @param {Given} given @param {string[]} keys */
function drafters({ drafters, words }, keys) {
  const known = drafters.map(({ key }) => key);
  const foreign = keys.find((key) => !known.includes(key));
  if (foreign === undefined) return keys;
  throw new SettingError(
    valueRefusal(words.drafter, foreign, fillText(words.one_of, { names: known.join(", ") }), words),
  );
}

/** @param {Given} given @param {string} label @param {string} text @param {number} low @param {number} high */
function whole(given, label, text, low, high) {
  const found = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(found >= low && found <= high)) throw refusal(given, label, text, "whole", { low, high });
  return found;
}

/** @param {Given} given @param {string} label @param {string} text @param {string} bound its sentence
 * @param {Record<string, number>} values */
const refusal = ({ words }, label, text, bound, values) =>
  new SettingError(valueRefusal(label, text, fillText(words[bound], values), words));
