// One answer to a question, to be pressed, and how many gave it.

import { plainButton } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { share } from "../shared/scale.js";

/** @import { Votes } from "./types.js" */

/** @param {string} text @param {() => void} act */
export const choice = (text, act) => plainButton("button.sv-choice", null, act, el("span", null, text));

/**
 * Each choice's share as the length of its bar, and its number: with the answer, since bars that grow are followed.
 * @param {HTMLElement[]} choices @param {Votes | null} asked
 */
export function showVotes(choices, asked) {
  const votes = asked?.right === null ? null : asked;
  for (const [i, choice] of choices.entries()) {
    const n = votes?.counts[i] ?? 0;
    choice.style.setProperty("--votes", share(n, Math.max(1, votes?.voted ?? 0)));
    if (votes) choice.dataset.votes = String(n);
    else delete choice.dataset.votes;
  }
}

/** The same of choices that are not pressed here. @param {Votes | null} votes */
export function voteBars(votes) {
  const items = (votes?.choices ?? []).map((text, i) =>
    el("li.sv-choice", { "data-state": i === votes?.right ? "right" : null }, text),
  );
  showVotes(items, votes);
  return items;
}
