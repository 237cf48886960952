// One of a few that stand beside each other.

import { el } from "./dom.js";

/**
 * @template Value
 * @param {string} word @param {string} name of its inputs @param {[Value, string][]} options @param {Value} now
 * @param {(value: Value, pointed: boolean) => void} chosen `pointed`: by hand, not by keys
 */
export function pick(word, name, options, now, chosen) {
  let pointed = false;
  const labels = options.map(([value, said]) => {
    const input = el("input", { type: "radio", name, value: String(value) });
    input.checked = value === now;
    input.addEventListener("change", () => {
      chosen(value, pointed);
      pointed = false;
    });
    return el("label", null, input, el("span", null, said));
  });
  const root = el("fieldset.sv-pick", { "aria-label": word }, labels);
  root.addEventListener("pointerdown", () => {
    pointed = true;
  });
  return root;
}
