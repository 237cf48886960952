// The fields of a rule of one's own: its two formulas, one of the rules in use to begin with, and the character that is
// wrong.

import { el, setText } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { choice } from "../form.js";
import { MAX_LENGTH } from "./expression.js";
import { PARTS, PRESETS } from "./own.js";

/** @import { FormulaError } from "./expression.js" */
/** @import { Part } from "./own.js" */

/**
 * @param {Record<string, string>} words @param {Record<Part, string>} formulas what the fields hold, kept up to date
 * @param {(settled: boolean) => void} onChange `settled`: the field was left, or a rule was chosen
 */
export function makeEditor(words, formulas, onChange) {
  const presets = choice(
    words.own_preset,
    ["typed", ...Object.keys(PRESETS)].map((key) => [key, words[`preset_${key}`]]),
    "",
    (key) => {
      for (const part of PARTS) fields[part].input.value = formulas[part] = PRESETS[key]?.[part] ?? formulas[part];
      onChange(true);
    },
  );
  const source = el("p.lab-note");
  const fields = /** @type {Record<Part, ReturnType<typeof field>>} */ (
    Object.fromEntries(PARTS.map((part) => [part, field(part)]))
  );

  /** @param {Part} part */
  function field(part) {
    const attributes = { maxlength: MAX_LENGTH, spellcheck: "false", autocapitalize: "off", autocomplete: "off" };
    const input = el("input.sv-input", { ...attributes, value: formulas[part], "aria-label": words[`own_${part}`] });
    const place = el("span.brk-place", { "aria-hidden": true });
    for (const type of ["input", "change"])
      input.addEventListener(type, () => {
        formulas[part] = input.value;
        onChange(type === "change");
      });
    const root = el("label.lab-choice.lab-wide", null, el("span", null, words[`own_${part}`]), input, place);
    return { root, input, place };
  }

  /** What stands in the fields was read, or where it cannot be. @param {FormulaError | null} error */
  function showError(error) {
    const preset = Object.keys(PRESETS).find((key) => PARTS.every((part) => PRESETS[key][part] === formulas[part]));
    presets.select.value = preset ?? "typed";
    source.hidden = !preset;
    setText(source, fillText(words.own_source, { source: words[`source_${preset}`] }));
    for (const part of PARTS) {
      const partError = error?.part === part ? error : null;
      fields[part].input.setAttribute("aria-invalid", String(partError !== null));
      fields[part].place.replaceChildren(...(partError?.at == null ? [] : highlight(formulas[part], partError.at)));
    }
  }

  return {
    root: el(
      "div.lab-stack.brk-own",
      null,
      el("p.lab-sentence", null, words.own_question),
      el("div.lab-controls", null, presets.root, ...PARTS.map((part) => fields[part].root)),
      source,
      el("p.lab-note", null, words.own_names),
    ),
    showError,
  };
}

/** @param {string} text @param {number} at */
const highlight = (text, at) => [text.slice(0, at), el("mark", null, text[at] ?? " "), text.slice(at + 1)];

/**
 * What is wrong with a formula. @param {FormulaError} error @param {string[]} tokens by their numbers
 * @param {Record<string, string>} words
 */
export function errorSentence({ key, part, at, values: { x = 0, value, sign } }, tokens, words) {
  const place = { field: words[`own_${part}`], at: (at ?? 0) + 1, x: tokens[x] };
  return fillText(words[`wrong_${key}`], { ...place, sign, value: number(value, 3), most: MAX_LENGTH });
}
