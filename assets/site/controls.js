// The prompt and the settings of a run as fields, made from the records of settings and laid out as the app's
// (specviz/page/watch/controls.py).

import { plainButton, select } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";

/** @import { SiteData, Setting, Values } from "./types.js" */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

/**
 * @param {SiteData} site @param {(byHand: boolean) => void} changed
 * @param {(prompt: string) => void} playExample
 * @returns {{ values: () => Values, fill: (values: Values) => void }}
 */
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
