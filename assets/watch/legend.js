// The roles and their signs, and what can be hidden: tokens that did not stay, verdicts until they are predicted.

import { el } from "../shared/dom.js";
import { ROLES, WORDS } from "../shared/words.js";

const NAMES = ["prompt", "drafted", "accepted", "rejected", "unexamined", "corrected", "bonus", "plain"];

/**
 * @param {boolean} hasDraft
 * @param {{ word: string, on: boolean, change: (on: boolean) => void }[]} switches
 */
export function legend(hasDraft, switches) {
  const names = hasDraft ? NAMES : ["prompt", "plain"];
  const roles = names.map((name) => {
    const { glyph, word } = ROLES[name];
    return el("li", null, el("span.sv-token", { "data-role": name, "aria-hidden": "true" }, glyph), " ", word);
  });
  if (!hasDraft) return el("div.sv-legend", null, el("ul", null, roles));
  const boxes = switches.map(({ word, on, change }) => {
    const box = el("input", { type: "checkbox", "data-switch": word });
    box.checked = on;
    box.addEventListener("change", () => change(box.checked));
    return el("label.sv-hide", null, box, " ", WORDS[word]);
  });
  return el("div.sv-legend", null, el("ul", null, roles), el("div.sv-switches", null, boxes));
}
