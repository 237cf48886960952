// The prompt and the settings of a run as fields, made from the records of settings and laid out as the app's
// (specviz/page/watch/controls.py).

import { plainButton, select } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";
import { exclusions } from "./settings.js";

/** @import { Given, Setting, Values } from "./types.js" */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

const EXCLUSIVE = ["tree", "adaptive", "confidence", "survival", "grammar"];

/**
 * @param {Given} given @param {(byHand: boolean) => void} changed
 * @returns {{ values: () => Values, fill: (values: Values) => void }}
 */
export function makeControls(given, changed) {
  const { words, settings, drafters, examples } = given;
  /** @type {Map<string, Field>} */
  const fields = new Map();
  /** @type {Map<string, HTMLElement>} */
  const boxes = new Map();
  const prompt = el("textarea.sv-input", { rows: 1, maxlength: given.limits.prompt, placeholder: words.placeholder });
  fields.set("prompt", prompt);
  const drafter = select(drafters.map(({ key, label }) => [key, label]));
  const note = el("p.sv-note", { id: "drafter-note" });
  fields.set("drafter", drafter);
  for (const setting of settings) {
    const field = make(setting);
    fields.set(setting.key, field);
    boxes.set(setting.name, boxed(setting, field));
  }
  const some = (/** @type {string[]} */ names) => names.map((name) => boxes.get(name) ?? null);
  const flag = (/** @type {string} */ name) => settings.some((one) => one.name === name && one.kind === "bool");
  query(document, "#chips").append(
    ...examples.map(([name, text]) => {
      const take = () => {
        set("prompt", text);
        changed(false);
      };
      return plainButton("button.sv-chip", null, take, name);
    }),
  );
  query(document, ".sv-ask .form").append(labelled("prompt", words.prompt, prompt));
  query(document, "#more").append(
    el("div.sv-row.sv-half", null, labelled("drafter", words.drafter, drafter), note),
    ...given.rows.map((names) => {
      const flags = some(names.filter(flag));
      const first = names.findIndex(flag);
      if (first < 0) return el("div.sv-row", null, some(names));
      const rest = some(names.slice(first).filter((name) => !flag(name)));
      return el("div.sv-row", null, some(names.slice(0, first)), el("div.sv-checks", null, flags), rest);
    }),
  );

  function set(/** @type {string} */ key, /** @type {unknown} */ value) {
    const field = fields.get(key);
    if (!field || value === undefined || value === null) return;
    if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === true;
    else field.value = String(value);
    follow();
  }
  /** What depends on another value: the sentence of a drafter, the settings of a rule, those beside a flag. */
  function follow() {
    note.textContent = drafters.find(({ key }) => key === drafter.value)?.sentence ?? "";
    const now = values();
    exclude(now);
    for (const setting of settings) {
      const box = boxes.get(setting.name);
      const own = String(now[setting.key]) !== String(setting.default);
      const beside = settings.find(({ key }) => key === setting.beside);
      if (box && setting.rule) box.hidden = now.verifier !== setting.rule;
      if (box && beside) box.hidden = String(now[beside.key]) === String(beside.default) && !own;
    }
  }
  /** What another setting leaves no choice cannot be set, and says why. @param {Values} now */
  function exclude(now) {
    const { why, rules } = exclusions(given, now);
    for (const name of EXCLUSIVE) {
      const box = boxes.get(name);
      const field = fields.get(settings.find((one) => one.name === name)?.key ?? "");
      if (!box || !field) continue;
      field.disabled = name in why;
      box.querySelector(".sv-why-off")?.remove();
      const told = why[name] ? `${why[name][0].toUpperCase()}${why[name].slice(1)}.` : "";
      if (told) box.append(el("p.sv-info.sv-why-off", null, told));
    }
    for (const option of fields.get("verifier")?.querySelectorAll("option") ?? [])
      option.disabled = !rules.includes(option.value) && option.value !== now.verifier;
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
      follow();
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
function make({ kind, choices, step }) {
  if (kind === "str")
    return Object.keys(choices).length ? select(Object.entries(choices)) : el("input.sv-input", { type: "text" });
  if (kind === "bool") return el("input", { type: "checkbox" });
  if (kind === "tuple") return el("textarea.sv-input", { rows: 2 });
  return el("input.sv-input", { type: "number", step: step ?? 1, inputmode: kind === "int" ? "numeric" : "decimal" });
}

/** @param {Setting} setting @param {Field} field */
function boxed({ key, label, kind, help, span, info }, field) {
  const id = `${key.replace(/_/g, "-")}${kind === "tuple" ? "-strings" : ""}`;
  if (kind === "bool") return el("label.sv-field.sv-check", { id, title: help }, field, el("span", null, label));
  const box = labelled(id, label, field, info);
  box.title = [help, span].filter(Boolean).join(" ");
  return box;
}

/** A field under its name, and under that what is said of it. @param {string} id @param {string} name
 * @param {Field} field @param {string} [info] */
function labelled(id, name, field, info) {
  field.id = `${id}-field`;
  const told = info ? el("p.sv-info", { id: `${id}-info` }, info) : null;
  if (told) field.setAttribute("aria-describedby", told.id);
  return el("div.sv-field", { id }, el("label", { for: field.id }, name), told, field);
}
