// A text of the budget: its block as cells, and the buttons that give it a position or take one.

import { logarithmic } from "../../chart/axis.js";
import { button } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { pathChances } from "./budget.js";

/** @import { Text } from "./budget.js" */

const NAME_LETTERS = 28; // letters of a prompt that name its text
const CHANCE_SCALE = logarithmic(0.001, 1);

/** @param {Text} text @param {number} K @param {Record<string, string>} words @param {(by: 1 | -1) => void} onGive */
export function makeRow({ prompt }, K, words, onGive) {
  const name = prompt.length > NAME_LETTERS ? `${prompt.slice(0, NAME_LETTERS - 1)}…` : prompt;
  const cells = Array.from({ length: K }, () => el("span.lab-place", null, el("i"), el("b")));
  const bar = el("div.lab-block", { role: "img" }, cells);
  const count = el("span");
  const less = button("−", () => onGive(-1), { "aria-label": fillText(words.less, { name }) });
  const more = button("+", () => onGive(1), { "aria-label": fillText(words.more, { name }) });
  return {
    root: el("div.lab-text", null, el("span.lab-name", null, name), bar, el("span.lab-give", null, less, count, more)),
    /**
     * @param {number[]} q @param {number} n checked @param {number | null} accepted null before it is verified
     * @param {boolean} hasLeft whether a position is left to give
     */
    show(q, n, accepted, hasLeft) {
      const chances = pathChances(q);
      cells.forEach((cell, i) => {
        const [fill, mark] = /** @type {HTMLElement[]} */ ([...cell.children]);
        fill.style.blockSize = `${100 * CHANCE_SCALE.place(chances[i])}%`;
        setText(mark, accepted === null || i > accepted ? "" : i < accepted ? "✓" : "✗");
        cell.toggleAttribute("data-checked", i < n);
      });
      const values = { name, n, K, chances: chances.map((chance) => number(chance, 2)).join(", ") };
      const end = accepted === null ? "" : fillText(words.block_accepted, { accepted, n: Math.min(n, accepted) });
      bar.setAttribute("aria-label", `${fillText(words.block, values)} ${end}`.trim());
      setText(count, String(n));
      less.disabled = n === 0;
      more.disabled = n === K || !hasLeft;
    },
  };
}
