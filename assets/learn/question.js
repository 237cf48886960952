// Predict, then reveal: buttons, the answer and one sentence why. What was answered before is shown at once.

import { el, setText, the } from "../shared/dom.js";
import { PAGE } from "./lesson.js";

/** @import { Question, Tab } from "./types.js" */

/** @typedef {"right" | "wrong" | ""} Mark */
const SIGNS = { right: "✓", wrong: "✗", "": "" };

/**
 * How each choice is marked once one was chosen: the right one always, a wrong one if it was chosen.
 * @param {Question} question @param {number} chosen
 * @returns {Mark[]}
 */
export function marks({ choices, right }, chosen) {
  return choices.map((_, i) => (i === right ? "right" : i === chosen ? "wrong" : ""));
}

/** @param {Question} asked @param {Tab} tab */
export function question(asked, { answers, chapter }) {
  const told = el("p.lrn-why", { "aria-live": "polite" }, el("span.lrn-note", null, PAGE.predict_first));
  const buttons = asked.choices.map((text) => {
    const sign = el("span.lrn-sign", { "aria-hidden": "true" });
    return el("button.lrn-choice", { type: "button" }, sign, el("span", null, text));
  });
  const reveal = (/** @type {number} */ chosen) => {
    marks(asked, chosen).forEach((mark, i) => {
      buttons[i].setAttribute("aria-pressed", String(i === chosen));
      buttons[i].dataset.state = mark;
      setText(the(buttons[i], ".lrn-sign"), SIGNS[mark]);
    });
    told.replaceChildren(el("strong", null, chosen === asked.right ? PAGE.right : PAGE.wrong), " ", asked.why);
  };
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => {
      answers.set(chapter, i);
      reveal(i);
    });
  });
  const before = answers.get(chapter);
  if (before !== undefined) reveal(before);
  const head = el("h3", null, el("span.lrn-predict", null, PAGE.predict), " ", asked.ask);
  return el("section.lrn-question", { "aria-label": PAGE.predict }, head, el("div.lrn-choices", null, buttons), told);
}
