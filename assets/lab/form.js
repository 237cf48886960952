// The fields of a panel: what they hold is text, as a link carries it, and Python says what may not be.

import { select } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { PAGE } from "./page.js";

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

/** Those of a list, by their keys. @param {{ key: string, name: string }[]} list @returns {Record<string, string>} */
export const namesOf = (list) => Object.fromEntries(list.map(({ key, name }) => [key, name]));

/** @typedef {{ root: HTMLElement, read(): string, set?(value: string): void }} Input */

/** @param {Field[]} fields @param {Settings} asked what a link asked for @param {(values: Settings) => void} changed */
export function makeForm(fields, asked, changed) {
  const inputs = fields.map((field) => input(field, asked[field.name] ?? field.value));
  const values = () => Object.fromEntries(fields.map(({ name }, i) => [name, inputs[i].read()]));
  for (const { root } of inputs) root.addEventListener("change", () => changed(values()));
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
 * @param {HTMLElement[]} nodes @param {Settings} asked
 */
export function foldFields(nodes, asked) {
  const folded = matchMedia("(width <= 760px)").matches && !Object.keys(asked).length;
  const fields = el("div.lab-controls", null, nodes);
  return el("details.lab-fold", { open: folded ? null : "" }, el("summary", null, PAGE.settings), fields);
}

/** @param {Field} field @param {string} value @returns {Input} */
function input(field, value) {
  if (field.several)
    return several(
      field,
      value.split(",").map((name) => name.trim()),
    );
  const node = field.options ? list(field, value) : line(field, value);
  const root = el(
    field.wide ? "label.lab-choice.lab-wide" : "label.lab-choice",
    null,
    el("span", null, field.word),
    node,
  );
  return {
    root,
    read: () => node.value,
    set(value) {
      node.value = value;
    },
  };
}

/** @param {Field} field @param {string} value */
function line({ wide, name }, value) {
  const size = wide ? { maxlength: 20000 } : { inputmode: "decimal", maxlength: 60, size: 7 };
  const node = el("input.sv-input", { type: "text", name, autocomplete: "off", ...size });
  node.value = value;
  return node;
}

/** @param {Field} field @param {string} value */
const list = ({ word, options = {} }, value) =>
  select(Object.entries(options), { "aria-label": word }, value in options ? value : Object.keys(options)[0]);

/** @param {Field} field @param {string[]} chosen @returns {Input} */
function several({ word, options = {} }, chosen) {
  const boxes = Object.entries(options).map(([key, name]) => {
    const box = el("input", { type: "checkbox", value: key });
    box.checked = chosen.includes(key);
    return { box, root: el("label", null, box, el("span", null, name)) };
  });
  const root = el("fieldset.lab-several", null, el("legend", null, word), ...boxes.map((one) => one.root));
  const checked = () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
  return { root, read: () => checked().join(",") };
}
