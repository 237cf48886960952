// A study on a phone: all questions one below the other, each at its owner's pace.

import { el, setText } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";

/** @import { Survey } from "./types.js" */

/**
 * @param {Record<string, string>} words @param {(now: string, question: number, choice: number) => void} answer
 * @returns {{ node: HTMLElement, show(survey: Survey | null): void }}
 */
export function makeSurvey(words, answer) {
  const node = el("section.ph-survey");
  const told = el("p.ph-state", { role: "status" });
  let drawn = "";
  /** @type {HTMLButtonElement[][]} */
  let choices = [];

  /** @param {Survey} survey */
  function draw({ now, questions }) {
    choices = questions.map((question, i) =>
      question.choices.map((text, choice) => {
        const button = el("button.ph-choice", { type: "button" }, el("span", null, text));
        button.addEventListener("click", () => answer(now, i, choice));
        return button;
      }),
    );
    const asked = questions.map(({ ask }, i) =>
      el("fieldset", null, el("legend", null, `${i + 1}. ${ask}`), choices[i]),
    );
    node.replaceChildren(el("h2", null, words[`survey_${now}`]), el("p.ph-note", null, words.survey), ...asked, told);
  }

  return {
    node,
    show(survey) {
      node.hidden = !survey;
      const now = survey?.now ?? "";
      if (survey && now !== drawn) draw(survey);
      drawn = now;
      if (!survey) return;
      survey.own.forEach((chosen, i) => {
        for (const [choice, button] of choices[i].entries())
          button.setAttribute("aria-pressed", String(choice === chosen));
      });
      const done = survey.own.filter((chosen) => chosen !== null).length;
      const all = done === survey.own.length;
      setText(told, all ? words.survey_all : fillText(words.survey_done, { done, of: survey.own.length }));
    },
  };
}
