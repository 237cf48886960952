// The fields of a panel: what they hold is text, as a link carries it, and Python says what may not be.

import { select } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { slider } from "../shared/slider.js";
import { PAGE } from "./panels.js";

/** @import { Settings } from "./types.js" */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} word
 * @property {string} value what it holds first
 * @property {Record<string, string>} [options] to choose one of: what is sent, its word
 * @property {boolean} [several] more than one of them, sent with commas between
 * @property {boolean} [wide] a line of text; else a few digits
 */

export const SEED_BOUNDS = [0, 2 ** 32 - 1];

/** @typedef {{ root: HTMLElement, read(): string, set?(value: string): void }} Input */

/** @param {Field[]} fields @param {Settings} linkSettings @param {(values: Settings) => void} onChange */
export function makeForm(fields, linkSettings, onChange) {
  const inputs = fields.map((field) => input(field, linkSettings[field.name] ?? field.value));
  const values = () => Object.fromEntries(fields.map(({ name }, i) => [name, inputs[i].read()]));
  for (const { root } of inputs) root.addEventListener("change", () => onChange(values()));
  return {
    nodes: inputs.map(({ root }) => root),
    values,
    /** @param {string} name @param {string} value */
    set(name, value) {
      inputs[fields.findIndex((field) => field.name === name)].set?.(value);
    },
    /** @param {(name: string) => boolean} which @param {boolean} on */
    show(which, on) {
      for (const [i, { root }] of inputs.entries()) if (which(fields[i].name)) root.hidden = !on;
    },
  };
}

/**
 * Fields above a result that comes with the panel: on a phone they are folded, unless a link filled them in.
 * @param {HTMLElement[]} nodes @param {Settings} linkSettings
 */
export function foldFields(nodes, linkSettings) {
  const folded = matchMedia("(width <= 760px)").matches && !Object.keys(linkSettings).length;
  const fields = el("div.lab-controls", null, nodes);
  return el("details.lab-fold", { open: folded ? null : "" }, el("summary", null, PAGE.settings), fields);
}

/** @param {Field} field @param {string} value @returns {Input} */
function input(field, value) {
  if (field.several) return checkboxes(field, value);
  const node = field.options ? list(field, value) : line(field, value);
  const root = labelled(field.word, node);
  root.classList.toggle("lab-wide", Boolean(field.wide));
  return {
    root,
    read: () => node.value,
    set(value) {
      node.value = value;
    },
  };
}

/** A field under its name. @param {string} word @param {...HTMLElement} nodes */
export const labelled = (word, ...nodes) => el("label.lab-choice", null, el("span", null, word), nodes);

/** @param {Field} field @param {string} value */
function line({ wide, name }, value) {
  const size = wide ? { maxlength: 20000 } : { inputmode: "decimal", maxlength: 60, size: 7 };
  return el("input.sv-input", { type: "text", name, value, autocomplete: "off", ...size });
}

/** @param {Field} field @param {string} value */
const list = ({ word, options = {} }, value) =>
  select(
    Object.entries(options),
    { "aria-label": word },
    Object.hasOwn(options, value) ? value : Object.keys(options)[0],
  );

/** @param {Field} field @param {string} value @returns {Input} */
function checkboxes({ word, options = {} }, value) {
  const names = value.split(",").map((name) => name.trim());
  const boxes = Object.entries(options).map(([key, name]) => {
    const box = el("input", { type: "checkbox", value: key });
    box.checked = names.includes(key);
    return { box, root: el("label", null, box, el("span", null, name)) };
  });
  const root = el("fieldset.lab-several", null, el("legend", null, word), ...boxes.map(({ root }) => root));
  const checked = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  return { root, read: () => checked().join(",") };
}

/**
 * @param {string} word @param {[value: string, word: string][]} options @param {string} value
 * @param {(value: string) => void} onChange
 */
export function choice(word, options, value, onChange) {
  const list = select(options, { "aria-label": word }, value);
  list.addEventListener("change", () => onChange(list.value));
  return { root: labelled(word, list), select: list };
}

/**
 * What is no seed is refused in words, never changed in silence.
 * @param {string} word @param {number} value @param {string} refusal @param {(seed: number) => void} onChange
 * @param {(sentence: string) => void} announce hears an empty one once it is mended
 */
export function seedField(word, value, refusal, onChange, announce) {
  const [least, most] = SEED_BOUNDS;
  const input = el("input.sv-input", { type: "number", min: least, max: most, step: 1, value, "aria-label": word });
  input.addEventListener("change", () => {
    const seed = wholeIn(input.value, SEED_BOUNDS);
    input.setAttribute("aria-invalid", String(seed === null));
    announce(seed === null ? fillText(refusal, { least, most: number(most, 0) }) : "");
    if (seed !== null) onChange(seed);
  });
  return labelled(word, input);
}

/** @param {string | undefined} text @param {RegExp} form @param {number[]} bounds */
function within(text, form, [least, most]) {
  const value = form.test(text ?? "") ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

/**
 * The whole number that a text is, if it is one within bounds.
 * @param {string | undefined} text @param {number[]} bounds
 */
export const wholeIn = (text, bounds) => within(text, /^\d{1,12}$/, bounds);

/** The same of any number. @param {string | undefined} text @param {number[]} bounds */
export const numberIn = (text, bounds) => within(text, /^\s*\d{1,7}(\.\d{1,6})?\s*$/, bounds);

/**
 * A number that can be moved, written as the panel has it.
 * @param {string} word @param {[least: number, most: number, step: number]} bounds @param {number} value
 * @param {(value: number) => string} format @param {(value: number) => void} onChange
 */
export function makeSlider(word, [min, max, step], value, format, onChange) {
  const { root, input, show } = slider(word, min, max, step, (number) => {
    update(number);
    onChange(number);
  });
  const update = (/** @type {number} */ number) => show(number, format(number));
  update(value);
  return {
    root,
    value: () => Number(input.value),
    /** @param {number} most */
    setBound(most) {
      input.max = String(most);
      update(Number(input.value));
    },
  };
}
