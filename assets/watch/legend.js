// The four signs of a verdict on one line, and whether struck guesses stay in the text at the end; folded, the other
// signs and what else is said of the replay.

import { el } from "../shared/dom.js";
import { fold } from "../shared/fold.js";
import { ROLES, WORDS, wordOf } from "../shared/words.js";
import { hardnessLegend } from "./hardness.js";

const SIGNS = ["accepted", "rejected", "corrected", "bonus"];
const OTHERS = ["prompt", "drafted", "verify", "unexamined", "plain"];

/** @typedef {{ word: string, on: boolean, change: (on: boolean) => void }} Switch */

/**
 * @param {Pick<import("../shared/types.js").Config, "K" | "grammar">} config
 * @param {Switch} struck @param {Switch[]} more @param {HTMLElement[]} hints
 * @param {import("./hardness.js").HardnessNote} note the key of what is said of the shades
 */
export function legend({ K, grammar }, struck, more, hints, note) {
  const signs = K > 0 ? SIGNS : ["prompt", "plain"];
  const others = K > 0 ? [...OTHERS, ...(grammar ? ["void"] : [])] : [];
  const folded = el("div.sv-hints.sv-flow", null, more.map(box), hints);
  return el(
    "div.sv-legend.sv-flow",
    null,
    list(signs),
    K > 0 ? box(struck) : null,
    el("p.sv-invite", null, WORDS.choose),
    fold("legend", "sv-signs", WORDS.legend, [list(others), hardnessLegend(note), folded]),
  );
}

/** @param {string[]} names */
function list(names) {
  const roles = names.map((name) => {
    const { role, glyph, word } = lookOf(name);
    const look = { "data-role": role, "data-phase": name === "verify" ? name : null, "aria-hidden": "true" };
    return el("li", null, el("span.sv-token", look, glyph), " ", word);
  });
  return el("ul.sv-flow", null, roles);
}

/** @param {Switch} own */
function box({ word, on, change }) {
  const input = el("input", { type: "checkbox", "data-switch": word });
  input.checked = on;
  input.addEventListener("change", () => change(input.checked));
  return el("label.sv-hide", null, input, " ", wordOf(word));
}

/** A role; or what none is: a draft in the pass, and one that a grammar forbids. @param {string} name */
function lookOf(name) {
  if (name === "verify") return { role: "drafted", glyph: ROLES.drafted.glyph, word: WORDS.verifying };
  if (name === "void") return { role: "rejected", glyph: WORDS.void_sign, word: WORDS.void_word };
  return { role: name, ...ROLES[name] };
}
