// A chapter's question on a phone: its choices, what was chosen here and, with the answer, what all chose.

import { el } from "../shared/dom.js";
import { share } from "../shared/scale.js";

/** @import { Poll } from "./types.js" */

/** @param {string} text @param {() => void} act @param {object} [attributes] @param {HTMLElement | null} [count] */
function choiceButton(text, act, attributes = {}, count = null) {
  const button = el("button.sv-choice", { type: "button", ...attributes }, el("span", null, text), count);
  button.addEventListener("click", act);
  return button;
}

/** @param {Poll} poll @param {Record<string, string>} words @param {(choice: number) => void} vote */
export function pollNodes(poll, words, vote) {
  const { right, own } = poll;
  const isAnswered = right !== undefined;
  const choices = poll.choices.map((text, i) => {
    const state = !isAnswered ? null : i === right ? "right" : i === own ? "wrong" : "";
    const count = isAnswered ? el("b", null, String(poll.counts?.[i] ?? 0)) : null;
    const attributes = { "aria-pressed": String(i === own), "data-state": state };
    const node = choiceButton(text, () => vote(i), attributes, count);
    if (isAnswered) node.style.setProperty("--votes", share(poll.counts?.[i] ?? 0, Math.max(1, poll.voted ?? 0)));
    node.disabled = isAnswered;
    return node;
  });
  return [el("h2", null, poll.ask), ...choices, el("p.ph-state", null, pollResult(poll, words))];
}

/** @param {Poll} poll @param {Record<string, string>} words */
export function pollResult({ own, right, why }, words) {
  if (right === undefined) return own === null ? words.vote : words.voted;
  const verdict = own === null ? "" : own === right ? words.vote_right : words.vote_wrong;
  return `${verdict} ${why ?? ""} ${words.vote_wait}`.trim();
}
