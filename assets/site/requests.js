// What a panel of the Lab asks of the worker, each value read as strictly as a link (specviz/page/lab/panel.py).

import { fillText } from "../shared/sentences.js";
import { configOf, promptOf, SettingError, valueRefusal } from "./settings.js";

/** @import { Config, Work } from "../engine/types.js" */
/** @import { Settings } from "../lab/types.js" */
/** @import { SiteData } from "./types.js" */
/** @typedef {{ work: Work, keys: string[], ran?: Settings }} LabRequest `keys`: of drafters; `ran`: as a link to
 * Watch */
/** @typedef {Record<string, string>} Words of the panel */

const RUN_FIELDS = ["K", "temperature", "verifier", "drafting", "seed", "length"];

/** @type {Record<string, (site: SiteData, words: Words, fields: Settings) => LabRequest>} each raises SettingError */
export const requestParsers = { luck, sweep };

/** @param {SiteData} site @param {Words} words @param {Settings} fields @returns {LabRequest} */
function luck(site, words, fields) {
  const prefixes = fields.compare === "yes" ? ["", "b_"] : [""];
  const settings = prefixes.map((prefix) => {
    const fieldOf = (/** @type {string} */ name) =>
      [fields[prefix + name], fields[name]].find((value) => value?.trim());
    const [key] = drafters(site, [fieldOf("drafter") ?? ""]);
    return { drafter: key, config: panelConfig(site, fieldOf) };
  });
  const without = settings.find(({ config }) => !config.K);
  if (without) throw refusal(site, words.K, "0", "whole", { low: 1, high: 32 });
  const seeds = wholeNumber(site, words.seeds, fields.seeds || "30", 2, 100);
  const keys = [...new Set(settings.map(({ drafter }) => drafter))];
  return { work: { type: "luck", ...commonWork(site, fields, keys), settings, seeds }, keys };
}

/** @param {SiteData} site @param {Words} words @param {Settings} fields @returns {LabRequest} */
function sweep(site, words, fields) {
  const listOf = (/** @type {string} */ label, /** @type {string} */ text, /** @type {number} */ most) => {
    const parts = [...new Set(text.split(/[,;\s]+/).filter(Boolean))];
    if (!parts.length || parts.length > most) throw refusal(site, label, text, "several", { most });
    return parts;
  };
  const keys = drafters(site, listOf(words.drafters, fields.drafters ?? words.first, 16));
  const ks = listOf(words.Ks, fields.Ks ?? words.first_Ks, 8).map((text) => wholeNumber(site, words.Ks, text, 1, 16));
  const turns = wholeNumber(site, words.turns, fields.turns || "3", 1, 10);
  const temperature = fields.temperature ?? words.first_temperature;
  const own = /** @type {Settings} */ ({
    ...fields,
    K: String(Math.min(...ks)),
    temperature,
    verifier: "",
    drafting: "",
  });
  const config = panelConfig(site, (name) => own[name]);
  const ran = /** @type {Settings} */ ({ prompt: fields.prompt, seed: String(config.seed) });
  return {
    work: { type: "sweep", ...commonWork(site, fields, keys), config, grid: { ks, turns } },
    keys,
    ran,
  };
}

/** @param {SiteData} site @param {Settings} fields @param {string[]} keys */
function commonWork(site, fields, keys) {
  return { target: site.target.name, drafts: draftsOf(site, keys), prompt: promptOf(fields.prompt ?? "", site) };
}

/** What drafts, as the engine takes it, by key. @param {SiteData} site @param {string[]} keys */
export const draftsOf = (site, keys) =>
  Object.fromEntries(site.drafters.flatMap(({ key, draft }) => (keys.includes(key) ? [[key, draft]] : [])));

/** The settings of a run, without top-k and top-p; what `fieldOf` has no value for is as the engine has it.
 * @param {SiteData} site @param {(name: string) => string | undefined} fieldOf @returns {Config} */
export function panelConfig(site, fieldOf) {
  const values = site.settings.map(({ key, default: initial }) => {
    const value = RUN_FIELDS.includes(key) ? fieldOf(key)?.trim() : "";
    return [key, value || initial];
  });
  return configOf(site, Object.fromEntries(values));
}

/** @param {SiteData} site @param {string[]} keys */
function drafters({ drafters, words }, keys) {
  const known = drafters.map(({ key }) => key);
  const foreign = keys.find((key) => !known.includes(key));
  if (foreign === undefined) return keys;
  throw new SettingError(
    valueRefusal(words.drafter, foreign, fillText(words.one_of, { names: known.join(", ") }), words),
  );
}

/** @param {SiteData} site @param {string} label @param {string} text @param {number} low @param {number} high */
function wholeNumber(site, label, text, low, high) {
  const number = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(number >= low && number <= high)) throw refusal(site, label, text, "whole", { low, high });
  return number;
}

/** @param {SiteData} site @param {string} label @param {string} text @param {string} bound its sentence
 * @param {Record<string, number>} values */
const refusal = ({ words }, label, text, bound, values) =>
  new SettingError(valueRefusal(label, text, fillText(words[bound], values), words));
