// The code of a rule as it runs, line by line.

import { el } from "../../shared/dom.js";

/** @import { Rule } from "./types.js" */

const WRONG = "// ✗ ";

/**
 * What stands in the page's script has no indentation: it is given back by the brackets.
 * @param {Rule} rule @returns {{ text: string, wrong: string | null }[]}
 */
export function linesOf({ code }) {
  let depth = 0;
  return code
    .toString()
    .split("\n")
    .map((raw) => {
      const [text, wrong] = raw
        .replace(/\/\*\*.*?\*\/ ?/g, "")
        .trim()
        .split(WRONG);
      const closes = /^[\])}]/.test(text) ? 1 : 0;
      const line = "  ".repeat(Math.max(0, depth - closes)) + text.trim();
      depth += (text.match(/[{[(]/g) ?? []).length - (text.match(/[}\])]/g) ?? []).length;
      return { text: line, wrong: wrong?.trim() ?? null };
    });
}

/** @param {Rule} rule @param {Record<string, string>} words */
export function codeOf(rule, words) {
  const word = rule.right ? words.costs_line : words.wrong_line;
  const lines = linesOf(rule).map(({ text, wrong }) => {
    const why = wrong === null ? null : el("span.brk-why", null, `← ${word}: ${wrong}`);
    return el("li", { "data-wrong": wrong === null ? null : "" }, el("code", null, text), why);
  });
  const caption = rule.right === null ? `${words.code} ${words.own_code}` : words.code;
  return el("figure.brk-code", null, el("figcaption", null, caption), el("ol", null, lines));
}
