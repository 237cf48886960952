// Questions on a phone. Of a chapter: its choices, what was chosen here and, with the answer, what all chose. Of a
// study: all questions one below the other, each at its owner's pace.

import { el, setText } from "../shared/dom.js";
import { share } from "../shared/scale.js";
import { fillText } from "../shared/sentences.js";

/** @import { Poll, Survey } from "./types.js" */

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
  return `${verdict} ${why ?? ""}`.trim();
}

/**
 * @param {Record<string, string>} words @param {(now: string, question: number, choice: number) => void} answer
 * @returns {{ node: HTMLElement, show(survey: Survey | null): void }}
 */
export function makeSurvey(words, answer) {
  const node = el("section.ph-survey");
  const status = el("p.ph-state", { role: "status" });
  let current = "";
  /** @type {HTMLButtonElement[][]} */
  let choices = [];

  /** @param {Survey} survey */
  function draw({ now, questions }) {
    choices = questions.map((question, i) =>
      question.choices.map((text, choice) => choiceButton(text, () => answer(now, i, choice))),
    );
    const fieldsets = questions.map(({ ask }, i) =>
      el("fieldset", null, el("legend", null, `${i + 1}. ${ask}`), choices[i]),
    );
    node.replaceChildren(
      el("h2", null, words[`survey_${now}`]),
      el("p.sv-muted", null, words.survey),
      ...fieldsets,
      status,
    );
  }

  return {
    node,
    show(survey) {
      node.hidden = !survey;
      const now = survey?.now ?? "";
      if (survey && now !== current) draw(survey);
      current = now;
      if (!survey) return;
      survey.own.forEach((own, i) => {
        for (const [choice, button] of choices[i].entries())
          button.setAttribute("aria-pressed", String(choice === own));
      });
      const of = survey.own.length;
      const done = survey.own.filter((choice) => choice !== null).length;
      setText(status, done === of ? words.survey_all : fillText(words.survey_done, { done, of }));
    },
  };
}
