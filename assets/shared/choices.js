// One of a few that stand beside each other.

import { el } from "./dom.js";

/**
 * @template Value
 * @param {string} word @param {string} name of its inputs @param {[Value, string][]} options @param {Value} now
 * @param {(value: Value, pointed: boolean) => void} onChoose `pointed`: by hand, not by keys
 */
export function choices(word, name, options, now, onChoose) {
  let pointed = false;
  const inputs = options.map(([value]) => {
    const input = el("input", { type: "radio", name, value: String(value) });
    input.checked = value === now;
    input.addEventListener("change", () => {
      onChoose(value, pointed);
      pointed = false;
    });
    return input;
  });
  const labels = options.map(([, label], i) => el("label", null, inputs[i], el("span", null, label)));
  const root = el("fieldset.sv-pick", { "aria-label": word }, labels);
  root.addEventListener("pointerdown", () => {
    pointed = true;
  });
  return {
    root,
    /** @param {Value} value */
    show(value) {
      for (const [i, [own]] of options.entries()) inputs[i].checked = own === value;
    },
  };
}
