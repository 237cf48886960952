// The roles and their signs, and whether what did not stay is shown.

import { el } from "../shared/dom.js";
import { ROLES, WORDS } from "../shared/words.js";

const NAMES = ["prompt", "drafted", "accepted", "rejected", "unexamined", "corrected", "bonus", "plain"];

/**
 * @param {boolean} hasDraft
 * @param {boolean} hiding what did not stay is hidden
 * @param {(hiding: boolean) => void} onHide
 */
export function legend(hasDraft, hiding, onHide) {
  const names = hasDraft ? NAMES : ["prompt", "plain"];
  const roles = names.map((name) => {
    const { glyph, word } = ROLES[name];
    return el("li", null, el("span.sv-token", { "data-role": name, "aria-hidden": "true" }, glyph), " ", word);
  });
  if (!hasDraft) return el("div.sv-legend", null, el("ul", null, roles));
  const box = el("input", { type: "checkbox" });
  box.checked = hiding;
  box.addEventListener("change", () => onHide(box.checked));
  return el("div.sv-legend", null, el("ul", null, roles), el("label.sv-hide", null, box, " ", WORDS.hide));
}
