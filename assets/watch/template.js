// A chat template writes tokens around what somebody says, and many a model begins each text with one. They stand
// folded: they are always the same.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { SPECIAL } from "../shared/tokens.js";

/** @import { Header, PromptToken } from "../shared/types.js" */

/**
 * Which of the prompt's tokens are what somebody said: from the first number up to the second. Where no template wrote
 * any, all but a control token that begins the text.
 * @param {PromptToken[]} prompt @param {Pick<Header, "prompt" | "chat">} header @returns {[number, number]}
 */
export function userTokens(prompt, header) {
  const message = header.prompt.trim();
  if (!header.chat || !message) return [prompt.length > 1 && SPECIAL.test(prompt[0].shown) ? 1 : 0, prompt.length];
  const ends = [];
  let text = "";
  for (const { shown, kind } of prompt) {
    text += kind === "bytes" ? "" : shown; // the token that completes a character shows all of it
    ends.push(text.length);
  }
  const places = [];
  for (let at = text.indexOf(message); at >= 0; at = text.indexOf(message, at + 1)) places.push(at);
  // the template's own words may hold it too: after what is said a control token follows
  const start = places.findLast((at) => /^\s*(<[|/]|\[\/|<end)/.test(text.slice(at + message.length))) ?? places.at(-1);
  if (start === undefined) return [0, prompt.length];
  const from = ends.findIndex((end) => end > start);
  return [from, ends.findIndex((end) => end >= start + message.length) + 1];
}

/**
 * Where tokens of a template go: a button, and what it unfolds. Nothing where there are none.
 * @param {number} count @param {() => void} onToggle @returns {{ nodes: Node[], inside: HTMLElement } | null}
 */
export function templateFold(count, onToggle) {
  if (!count) return null;
  const inside = el("span.sv-folded", { hidden: "" });
  const act = () => {
    inside.hidden = !inside.hidden;
    open.setAttribute("aria-expanded", String(!inside.hidden));
    onToggle();
  };
  const open = button(plain(count === 1 ? "template_one" : "template", { n: count }), act, {
    class: "sv-fold",
    "aria-expanded": "false",
  });
  return { nodes: [open, inside], inside };
}
