// What an address asks for, read strictly (specviz/page/keep/links.py): settings, a recorded run, a run of this site.

import { fillText } from "../shared/sentences.js";
import { checkSetting, SettingError, valueRefusal } from "./settings.js";

/** @import { Given, Link, Values } from "./types.js" */

const SHOWN = 4;
const NOT_OURS = /^(__.*|view|chapter|lab(_.*)?|utm_.*|fbclid|gclid|models|theme|figure|round|token|lane)$/;

/** @param {string} search @param {Given} given @returns {Link} */
export function readLink(search, given) {
  /** @type {Link} */
  const link = { settings: {}, recorded: null, run: null, problems: [] };
  for (const [name, value] of new URLSearchParams(search)) {
    if (NOT_OURS.test(name)) continue;
    try {
      take(link, name, value, given);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      link.problems.push(error.message);
    }
  }
  return link;
}

/** @param {Link} link @param {string} name @param {string} value @param {Given} given */
function take(link, name, value, given) {
  const { words } = given;
  const setting = given.settings.find(({ key }) => key === name);
  const oneOf = (/** @type {string} */ field, /** @type {string[]} */ known) => {
    const bound = fillText(words.one_of, { names: known.join(", ") });
    if (!known.includes(value)) throw new SettingError(valueRefusal(field, value, bound, words));
    return value;
  };
  if (name === "run") link.run = value;
  else if (name === "recorded") link.recorded = oneOf(words.recorded_list, names(given.recorded, "name"));
  else if (name === "drafter") link.settings.drafter = oneOf(words.drafter, names(given.drafters, "key"));
  else if (name === "prompt") link.settings.prompt = promptOf(value, given);
  else if (setting) link.settings[name] = checkSetting(setting, value, words);
  else throw new SettingError(fillText(words.unknown, { name: name.slice(0, 40) }));
}

/** @template {string} Name @param {Record<Name, string>[]} all @param {Name} name */
const names = (all, name) => all.map((one) => one[name]);

/** A prompt that may be decoded. Raises SettingError. @param {string} text @param {Given} given */
export function promptOf(text, { words, limits }) {
  const bound = fillText(words.prompt_bound, { most: limits.prompt.toLocaleString("en") });
  if (!text.trim() || text.length > limits.prompt)
    throw new SettingError(valueRefusal(words.prompt, text, bound, words));
  return text;
}

/** What could not be used, as one sentence; nothing if all could. @param {Link} link @param {Given} given */
export function problem({ problems }, { words }) {
  if (!problems.length) return "";
  const left = problems.length - SHOWN;
  const shown = [...problems.slice(0, SHOWN), ...(left > 0 ? [fillText(words.more, { count: left })] : [])];
  return fillText(words.partly, { problems: shown.join("; ") });
}

/** @param {Values} values */
export const valuesIn = (values) => Object.keys(values).length > 0;
