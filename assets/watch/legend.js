// The roles and their signs, and under them what can be hidden (tokens that did not stay, verdicts until they are
// predicted) and what else is said of the replay.

import { el } from "../shared/dom.js";
import { fold } from "../shared/fold.js";
import { ROLES, WORDS, wordOf } from "../shared/words.js";
import { hardnessLegend } from "./hardness.js";

const NAMES = ["prompt", "drafted", "verify", "accepted", "rejected", "unexamined", "corrected", "bonus", "plain"];
/**
 * @param {Pick<import("../shared/types.js").Config, "K" | "grammar">} config
 * @param {{ word: string, on: boolean, change: (on: boolean) => void }[]} switches @param {HTMLElement[]} hints
 * @param {import("./hardness.js").HardnessNote} note the key of what is said of the shades
 */
export function legend({ K, grammar }, switches, hints, note) {
  const names = K > 0 ? [...NAMES, ...(grammar ? ["void"] : [])] : ["prompt", "plain"];
  const roles = names.map((name) => {
    const { role, glyph, word } = lookOf(name);
    const look = { "data-role": role, "data-phase": name === "verify" ? name : null, "aria-hidden": "true" };
    return el("li", null, el("span.sv-token", look, glyph), " ", word);
  });
  const boxes = switches.map(({ word, on, change }) => {
    const box = el("input", { type: "checkbox", "data-switch": word });
    box.checked = on;
    box.addEventListener("change", () => change(box.checked));
    return el("label.sv-hide", null, box, " ", wordOf(word));
  });
  const switched = el("div.sv-hints.sv-flow", null, boxes, hints);
  return fold("legend", "sv-legend", WORDS.legend, [el("ul.sv-flow", null, roles), hardnessLegend(note), switched]);
}

/** A role; or what none is: a draft in the pass, and one that a grammar forbids. @param {string} name */
function lookOf(name) {
  if (name === "verify") return { role: "drafted", glyph: ROLES.drafted.glyph, word: WORDS.verifying };
  if (name === "void") return { role: "rejected", glyph: WORDS.void_sign, word: WORDS.void_word };
  return { role: name, ...ROLES[name] };
}
