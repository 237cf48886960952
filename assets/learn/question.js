// Predict, then reveal: buttons, the answer and one sentence why. What was answered before is shown at once.

import { phones } from "../poll/phones.js";
import { choice, showVotes } from "../poll/votes.js";
import { el } from "../shared/dom.js";
import { PAGE } from "./lesson.js";

/** @import { Question, Tab, Votes } from "./types.js" */

/** @typedef {"right" | "wrong" | ""} Mark */

/**
 * How each choice is marked once one was chosen: the right one always, a wrong one if it was chosen.
 * @param {Question} question @param {number} chosen
 * @returns {Mark[]}
 */
export function marks({ choices, right }, chosen) {
  return choices.map((_, i) => (i === right ? "right" : i === chosen ? "wrong" : ""));
}

/**
 * The choices of a question; once one is `chosen`, what it is and why is told.
 * @param {Question} question @param {{ right: string, wrong: string }} words @param {HTMLElement} told
 * @param {(choice: number) => void} [chosen]
 */
export function answers(question, words, told, chosen) {
  const buttons = question.choices.map((text, i) =>
    choice(text, () => {
      chosen?.(i);
      reveal(i);
    }),
  );
  const mark = (/** @type {number} */ chosen) => {
    for (const [i, mark] of marks(question, chosen).entries()) buttons[i].dataset.state = mark;
  };
  const reveal = (/** @type {number} */ chosen) => {
    mark(chosen);
    for (const [i, button] of buttons.entries()) button.setAttribute("aria-pressed", String(i === chosen));
    told.replaceChildren(el("strong", null, words[chosen === question.right ? "right" : "wrong"]), " ", question.why);
  };
  return { choices: el("div.lrn-choices.sv-flow", null, buttons), buttons, mark, reveal };
}

/** A question before the picture answers it. @param {Question} asked @param {(choice: number) => void} [chosen] */
export function predict(asked, chosen) {
  const told = el("p.lrn-why", { "aria-live": "polite" }, el("span.sv-note", null, PAGE.predict_first));
  const head = el("h3", null, el("span.lrn-predict", null, PAGE.predict), " ", asked.ask);
  return { head, told, ...answers(asked, { right: PAGE.right, wrong: PAGE.wrong }, told, chosen) };
}

/** @param {Question} asked @param {Tab} tab @param {string} key the chapter's */
export function question(asked, { answers, chapter, stage: { room } }, key) {
  const { head, choices, buttons, told, mark, reveal } = predict(asked, (i) => answers.set(chapter, i));
  const before = answers.get(chapter);
  if (before !== undefined) reveal(before);
  /** The class's answers as bars; with the answer, which of them is right. @param {Votes | null} votes */
  const draw = (votes) => {
    showVotes(buttons, votes);
    const open = votes !== null && votes.right === null;
    if (open !== told.hidden) {
      told.hidden = open; // while a class votes, no answer stands on the wall
      const own = answers.get(chapter);
      if (open) for (const one of buttons) one.dataset.state = "";
      else if (own !== undefined) mark(own);
    }
    if (votes && votes.right !== null && !answers.has(chapter)) {
      mark(asked.right);
      told.replaceChildren(asked.why);
    }
  };
  const answered = () => room.reveal(key, asked.right);
  const shown = phones(() => key, room, draw, answered);
  return el("section.lrn-question", { "aria-label": PAGE.predict }, head, choices, shown.root, told);
}
