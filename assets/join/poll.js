// A chapter's question on a phone: its choices, what was chosen here and, with the answer, what all chose.

import { el } from "../shared/dom.js";
import { share } from "../shared/scale.js";

/** @import { Poll } from "./types.js" */

/** @param {Poll} poll @param {Record<string, string>} words @param {(choice: number) => void} vote */
export function pollNodes(poll, words, vote) {
  const { right, own } = poll;
  const shown = right !== undefined;
  const choices = poll.choices.map((text, i) => {
    const state = !shown ? null : i === right ? "right" : i === own ? "wrong" : "";
    const count = shown ? el("b", null, String(poll.counts?.[i] ?? 0)) : null;
    const attributes = { type: "button", "aria-pressed": String(i === own), "data-state": state };
    const node = el("button.ph-choice", attributes, el("span", null, text), count);
    if (shown) node.style.setProperty("--votes", share(poll.counts?.[i] ?? 0, Math.max(1, poll.voted ?? 0)));
    node.disabled = shown;
    node.addEventListener("click", () => vote(i));
    return node;
  });
  return [el("h2", null, poll.ask), ...choices, el("p.ph-state", null, pollResult(poll, words))];
}

/** @param {Poll} poll @param {Record<string, string>} words */
export function pollResult({ own, right, why }, words) {
  if (right === undefined) return own === null ? words.vote : words.voted;
  const said = own === null ? "" : own === right ? words.vote_right : words.vote_wrong;
  return `${said} ${why ?? ""}`.trim();
}
