// The text so far: the beginning, what people said that was kept, and what the target said instead.

import { el } from "../../shared/dom.js";
import { visible } from "../../shared/tokens.js";

/** @import { State } from "./types.js" */

/** What the text reads, for what is typed after it. @param {State} state */
export const reads = ({ prompt, text }) =>
  prompt +
  text
    .filter(({ role }) => role !== "prompt")
    .map(({ token }) => token.text)
    .join("");

/**
 * @param {State} state @param {Record<string, any>} words
 * @param {Record<string, { glyph: string, word: string }>} roles
 */
export function writing(state, words, roles) {
  const begun = el("span.ppl-begun", null, visible(state.prompt).replaceAll("↵", "↵\n"));
  const said = state.text
    .filter(({ role }) => role !== "prompt")
    .map(({ token, role }) => {
      const look = { "data-role": role, title: `${roles[role].word}, id ${token.id}` };
      return el("span.sv-token", look, visible(token.text).replaceAll("↵", "↵\n"));
    });
  return el("p.ppl-writing", { "aria-label": words.text, lang: "en" }, begun, said);
}
