// One of a few, chosen by a radio button that looks like a pill.

import { el } from "../shared/dom.js";

/**
 * @param {string} name of the group @param {string} legend @param {string[]} words @param {number} first the chosen one
 * @param {(at: number) => void} chosen
 */
export function choices(name, legend, words, first, chosen) {
  const inputs = words.map((_, at) => {
    const input = el("input", { type: "radio", name });
    input.checked = at === first;
    input.addEventListener("change", () => chosen(at));
    return input;
  });
  const labels = words.map((word, at) => el("label", null, inputs[at], el("span", null, word)));
  return {
    root: el("fieldset.lrn-choices", null, el("legend", null, legend), labels),
    /** @param {number} at */
    show(at) {
      inputs[at].checked = true;
    },
  };
}
