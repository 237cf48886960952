// What a run is set to, from fields, a link or a trace: each value is checked (specviz/config.py, page/settings.py). And the
// prompt and the settings as fields, laid out as the app's (specviz/page/watch/controls.py).

import { el, plainButton, query, select } from "../player/dom.js";
import { NO_SETTING } from "../player/page.js";
import { fillText } from "../player/words.js";

/** @import { Link, Setting, SiteData, Values } from "./types.js" */

const NUMBER = /^-?\d{1,12}(\.\d{1,12})?$/;
const YES = ["true", "1", "yes", "on"];
const NO = ["false", "0", "no", "off"];
const MAX_PROBLEMS = 4; // in a sentence
const SITE_NAMES = ["models", "theme", "figure", "round", "token", "lane"];

/** A value that a setting cannot have, in a sentence without its end. */
export class SettingError extends Error {}

/** The value of a field or of a link, of the setting's own type. Raises SettingError.
 * @param {Setting} setting @param {string | boolean} value @param {Record<string, string>} words */
function checkSetting(setting, value, words) {
  const checked = parseValue(setting, value);
  if (checked === undefined) throw new SettingError(valueRefusal(setting.label, String(value), setting.bound, words));
  return checked;
}

/** @param {Setting} setting @param {string | boolean} value @returns {string | number | boolean | undefined} */
function parseValue({ kind, low, high, or_zero, choices, pattern, strings, characters }, value) {
  const text = String(value).trim();
  if (kind === "bool") return typeof value === "boolean" ? value : bool(text.toLowerCase());
  if (kind === "tuple") {
    const lines = String(value).split(/\r?\n/).filter(Boolean);
    return lines.length <= strings && lines.every((line) => [...line].length <= characters) ? lines.join("\n") : undefined;
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
  const excerpt = value.length > 40 ? `${value.slice(0, 39)}…` : value;
  return fillText(words.value, { field, value: excerpt || words.empty, bound });
}

/** The settings of a run, by the names of the engine. Raises SettingError.
 * @param {SiteData} site @param {Values} values by key @returns {import("../engine/types.js").Config} */
export function configOf({ settings, words }, values) {
  const entries = settings.map((setting) => {
    const right = checkSetting(setting, String(values[setting.key] ?? setting.start), words);
    return [setting.name, setting.kind === "tuple" ? String(right).split("\n").filter(Boolean) : right];
  });
  return Object.fromEntries(entries);
}

/** What made a run, by key, without what only saved runs have. @param {SiteData} site
 * @param {any} header of a picture @returns {Values} */
export function settingsOf({ settings, drafters, absent }, header) {
  const own = settings.filter(({ name, saved }) => !saved.includes(header.config[name]));
  const values = [...own, ...absent.settings].map(({ name, key }) => {
    const value = header.config[name];
    return [key, Array.isArray(value) ? value.join("\n") : value];
  });
  const matches = [...drafters, ...absent.drafters].filter(({ kind }) => kind === header.draft?.kind);
  const drafter = matches.find(({ key }) => header.draft.name.endsWith(`-${key}`)) ?? matches[0];
  return { prompt: header.prompt, ...Object.fromEntries(values), ...(drafter ? { drafter: drafter.key } : {}) };
}

/**
 * What the engine of this page can be set to, with its first choice in place of what only the app has; and the names of
 * that.
 * @param {SiteData} site @param {Values} values by key @returns {{ values: Values, lacking: string[] }}
 */
export function fitting({ settings, drafters, absent }, values) {
  /** @type {string[]} */
  const lacking = [];
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const setting = absent.settings.find((one) => one.key === key);
    if (setting) {
      if (value !== undefined && !setting.quiet && String(value) !== String(setting.default)) lacking.push(setting.label);
      return [];
    }
    const choice = { drafter: absent.drafters, verifier: absent.rules }[key]?.find((one) => one.key === value);
    if (!choice) return [[key, value]];
    lacking.push(choice.label);
    return [[key, key === "drafter" ? drafters[0].key : (settings.find((one) => one.key === key)?.default ?? "")]];
  });
  return { values: Object.fromEntries(entries), lacking };
}

/** That Run decodes without what only the app has; nothing where that is nothing. @param {string[]} lacking
 * @param {Record<string, string>} words */
export function withoutSentence(lacking, words) {
  return lacking.length ? fillText(words.without, { names: lacking.map((name) => `“${name}”`).join(", ") }) : "";
}

/** What an address asks for, read strictly (specviz/page/settings.py): settings, a recorded run, a run of this site.
 * @param {string} search @param {SiteData} site @returns {Link} */
export function readLink(search, site) {
  /** @type {Link} */
  const link = { settings: {}, recorded: null, run: null, problems: [] };
  for (const [name, value] of new URLSearchParams(search)) {
    if (NO_SETTING.test(name) || SITE_NAMES.includes(name)) continue;
    try {
      setParameter(link, name, value, site);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      link.problems.push(error.message);
    }
  }
  return link;
}

/** @param {Link} link @param {string} name @param {string} value @param {SiteData} site */
function setParameter(link, name, value, site) {
  const { words } = site;
  const { values, lacking } = fitting(site, { [name]: value });
  if (lacking.length) throw new SettingError(fillText(words.app_only, { name: lacking[0] }));
  if (!(name in values)) return;
  const setting = site.settings.find(({ key }) => key === name);
  const oneOf = (/** @type {string} */ field, /** @type {string[]} */ known) => {
    const bound = fillText(words.one_of, { names: known.join(", ") });
    if (!known.includes(value)) throw new SettingError(valueRefusal(field, value, bound, words));
    return value;
  };
  if (name === "run") link.run = value;
  else if (name === "recorded") link.recorded = oneOf(words.recorded_list, names(site.recorded, "name"));
  else if (name === "drafter") link.settings.drafter = oneOf(words.drafter, names(site.drafters, "key"));
  else if (name === "prompt") link.settings.prompt = promptOf(value, site);
  else if (setting) link.settings[name] = checkSetting(setting, value, words);
  else throw new SettingError(fillText(words.unknown, { name: name.slice(0, 40) }));
}

/** @template {string} Name @param {Record<Name, string>[]} all @param {Name} name */
const names = (all, name) => all.map((one) => one[name]);

/** A prompt that may be decoded. Raises SettingError. @param {string} text @param {SiteData} site */
export function promptOf(text, { words, limits }) {
  const bound = fillText(words.prompt_bound, { most: limits.prompt.toLocaleString("en") });
  if (!text.trim() || text.length > limits.prompt) throw new SettingError(valueRefusal(words.prompt, text, bound, words));
  return text;
}

/** What it filled in, and that Run is to be pressed. @param {Link} link @param {SiteData} site */
export function filledSentence({ settings }, { link }) {
  const key = "prompt" in settings ? (Object.keys(settings).length > 1 ? "both" : "prompt") : "settings";
  return `${link[key]} ${link.press}`;
}

/** What could not be used, as one sentence; nothing if all could. @param {Pick<Link, "problems">} link
 * @param {SiteData} site */
export function problemSentence({ problems }, { words }) {
  if (!problems.length) return "";
  const more = problems.length - MAX_PROBLEMS;
  const sentences = [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [fillText(words.more, { count: more })] : [])];
  return fillText(words.partly, { problems: sentences.join("; ") });
}

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/** @param {SiteData} site @param {(byHand: boolean) => void} changed
 * @param {(prompt: string) => void} playExample
 * @returns {{ values: () => Values, fill: (values: Values) => void }} */
export function makeControls(site, changed, playExample) {
  const { words, settings, drafters, examples } = site;
  /** @type {Map<string, Field>} */
  const fields = new Map();
  /** @type {Map<string, HTMLElement>} */
  const boxes = new Map();
  const prompt = el("textarea.sv-input", { rows: 1, maxlength: site.limits.prompt, placeholder: words.placeholder });
  fields.set("prompt", prompt);
  const drafter = select(drafters.map(({ key, label }) => [key, label]));
  const note = el("p.sv-note", { id: "drafter-note" });
  fields.set("drafter", drafter);
  for (const setting of settings) {
    const field = makeField(setting);
    fields.set(setting.key, field);
    boxes.set(setting.name, fieldBox(setting, field));
  }
  const boxesOf = (/** @type {string[]} */ names) => names.map((name) => boxes.get(name) ?? null);
  query(document, "#chips").append(
    ...examples.map(([name, text]) => {
      const useExample = () => {
        set("prompt", text);
        changed(false);
        playExample(text);
      };
      return plainButton("button.sv-chip", null, useExample, name);
    }),
  );
  query(document, ".sv-ask .form").append(labelledField("prompt", words.prompt, prompt));
  const [first, ...others] = site.rows;
  const further = el("div.sv-menu", { id: "further-menu" }, el("div.form", null, others.map(boxesOf)));
  const open = el("button.sv-opens", { id: "further", type: "button" }, words.further);
  query(document, "#more").append(
    el(
      "div.sv-sliders",
      null,
      el("div.form", null, boxesOf(first), labelledField("drafter", words.drafter, drafter)),
      note,
      el("div.sv-menu-place", null, open, further),
    ),
  );

  function set(/** @type {string} */ key, /** @type {unknown} */ value) {
    const field = fields.get(key);
    if (!field || value === undefined || value === null) return;
    if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === true;
    else field.value = String(value);
    showDrafter();
  }
  function showDrafter() {
    note.textContent = drafters.find(({ key }) => key === drafter.value)?.sentence ?? "";
  }
  function values() {
    const all = [...fields].map(([key, field]) => [
      key,
      field instanceof HTMLInputElement && field.type === "checkbox" ? field.checked : field.value,
    ]);
    return Object.fromEntries(all);
  }
  for (const field of fields.values()) {
    field.addEventListener("change", () => {
      showDrafter();
      changed(true);
    });
  }
  return {
    values,
    fill(some) {
      for (const [key, value] of Object.entries(some)) set(key, value);
      changed(false);
    },
  };
}

/** @param {Setting} setting @returns {Field} */
function makeField({ kind, choices, step }) {
  if (kind === "str")
    return Object.keys(choices).length ? select(Object.entries(choices)) : el("input.sv-input", { type: "text" });
  if (kind === "bool") return el("input", { type: "checkbox" });
  if (kind === "tuple") return el("textarea.sv-input", { rows: 2 });
  return el("input.sv-input", { type: "number", step: step ?? 1, inputmode: kind === "int" ? "numeric" : "decimal" });
}

/** @param {Setting} setting @param {Field} field */
function fieldBox({ key, label, kind, help, span, info }, field) {
  const id = `${key.replace(/_/g, "-")}${kind === "tuple" ? "-strings" : ""}`;
  if (kind === "bool") return el("label.sv-field.sv-check", { id, title: help }, field, el("span", null, label));
  const box = labelledField(id, label, field, info);
  box.title = [help, span].filter(Boolean).join(" ");
  return box;
}

/** A field under its name, and under that what is said of it. @param {string} id @param {string} name
 * @param {Field} field @param {string} [info] */
function labelledField(id, name, field, info) {
  field.id = `${id}-field`;
  const description = info ? el("p.sv-info", { id: `${id}-info` }, info) : null;
  if (description) field.setAttribute("aria-describedby", description.id);
  return el("div.sv-field", { id }, el("label", { for: field.id }, name), description, field);
}
