// The prompt and the settings of a run as fields, made from the records of settings (specviz/config.py).

import { el, the } from "../shared/dom.js";

/** @import { Given, Setting, Values } from "./types.js" */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/**
 * @param {Given} given @param {() => void} changed
 * @returns {{ values: () => Values, fill: (values: Values) => void }}
 */
export function makeControls(given, changed) {
  const { words, settings, drafters, examples, bar } = given;
  /** @type {Map<string, Field>} */
  const fields = new Map();
  /** @type {Map<string, HTMLElement>} */
  const boxes = new Map();
  const prompt = el("textarea", { rows: 1, maxlength: given.limits.prompt, placeholder: words.placeholder });
  fields.set("prompt", prompt);
  the(document, "#prompt").append(el("label.sv-field", null, el("span", null, words.prompt), prompt));
  the(document, "#chips").append(...examples.map(([name, text]) => chip(name, () => set("prompt", text))));
  const drafter = list(Object.fromEntries(drafters.map(({ key, label }) => [key, label])));
  const note = el("p.sv-note", { id: "drafter-note" });
  fields.set("drafter", drafter);
  for (const setting of settings) {
    const field = make(setting);
    fields.set(setting.key, field);
    boxes.set(setting.key, boxed(setting, field));
  }
  const inBar = (/** @type {Setting} */ { name }) => bar.includes(name);
  const row = (/** @type {Setting[]} */ some) => some.map(({ key }) => boxes.get(key) ?? null);
  the(document, "#settings").append(
    el("label.sv-field", { id: "drafter" }, el("span", null, words.drafter), drafter),
    ...bar.flatMap((name) => row(settings.filter((setting) => setting.name === name))).filter((box) => box !== null),
    note,
  );
  the(document, "#more").append(el("div.sv-fields", null, row(settings.filter((setting) => !inBar(setting)))));

  function set(/** @type {string} */ key, /** @type {unknown} */ value) {
    const field = fields.get(key);
    if (!field || value === undefined || value === null) return;
    if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === true;
    else field.value = String(value);
    follow();
    changed();
  }
  /** What depends on another value: the sentence of a drafter, the settings of a rule, those beside a flag. */
  function follow() {
    note.textContent = drafters.find(({ key }) => key === drafter.value)?.sentence ?? "";
    const now = values();
    for (const setting of settings) {
      const box = boxes.get(setting.key);
      const own = String(now[setting.key]) !== String(setting.default);
      const beside = settings.find(({ key }) => key === setting.beside);
      if (box && setting.rule) box.hidden = now.verifier !== setting.rule;
      if (box && beside) box.hidden = String(now[beside.key]) === String(beside.default) && !own;
    }
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
      changed();
    });
  }
  return {
    values,
    fill(some) {
      for (const [key, value] of Object.entries(some)) set(key, value);
    },
  };
}

/** @param {string} name @param {() => void} act */
function chip(name, act) {
  const node = el("button.sv-chip", { type: "button" }, name);
  node.addEventListener("click", act);
  return node;
}

/** @param {Record<string, string>} choices */
function list(choices) {
  const select = el("select");
  for (const [value, word] of Object.entries(choices)) select.append(el("option", { value }, word));
  return select;
}

/** @param {Setting} setting @returns {Field} */
function make({ kind, choices, step }) {
  if (kind === "str") return Object.keys(choices).length ? list(choices) : el("input", { type: "text" });
  if (kind === "bool") return el("input", { type: "checkbox" });
  if (kind === "tuple") return el("textarea", { rows: 2 });
  return el("input", { type: "number", step: step ?? 1, inputmode: kind === "int" ? "numeric" : "decimal" });
}

/** @param {Setting} setting @param {Field} field */
function boxed({ key, label, kind, help, span }, field) {
  const id = `${key.replace(/_/g, "-")}${kind === "tuple" ? "-strings" : ""}`;
  const word = el("span", null, label);
  return kind === "bool"
    ? el("label.sv-field.sv-check", { id, title: help }, field, word)
    : el("label.sv-field", { id, title: [help, span].filter(Boolean).join(" ") }, word, field);
}
