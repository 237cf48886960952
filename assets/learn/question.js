// Predict, then reveal: buttons or a number, the answer and one sentence why; an answer of an earlier visit is there at
// once. After the last chapter five questions with their reasons, what one can do now, a result to keep, where to go on
// (specviz/page/learn/lesson.py).

import { button, el, readStored, setText, writeStored } from "../player/dom.js";
import { openDialog, save } from "../player/page.js";
import { fillText, times } from "../player/words.js";
import { choice, phones, showVotes, voteBars } from "../poll/poll.js";
import { LESSON, PAGE } from "./lesson.js";

/** @import { Estimate, Passes, Question, Tab, Votes } from "./types.js" */

/** @typedef {"right" | "wrong" | ""} Mark */

const MAX_RATIO = 99; // of the time over that of a pass over one token

/** How each choice is marked once one is picked: the right one always, a wrong one if it was picked.
 * @param {Question} question @param {number} pick
 * @returns {Mark[]} */
function marks({ choices, right }, pick) {
  return choices.map((_, i) => (i === right ? "right" : i === pick ? "wrong" : ""));
}

/** The choices of a question; once one is picked, `reason` says whether it is right and why.
 * @param {Question} question @param {{ right: string, wrong: string }} words @param {HTMLElement} reason
 * @param {(pick: number) => void} [onPick] */
function choiceButtons(question, words, reason, onPick) {
  const buttons = question.choices.map((text, i) =>
    choice(text, () => {
      onPick?.(i);
      reveal(i);
    }),
  );
  const mark = (/** @type {number} */ pick) => {
    for (const [i, mark] of marks(question, pick).entries()) buttons[i].dataset.state = mark;
  };
  const reveal = (/** @type {number} */ pick) => {
    mark(pick);
    for (const [i, button] of buttons.entries()) button.setAttribute("aria-pressed", String(i === pick));
    reason.replaceChildren(el("strong", null, words[pick === question.right ? "right" : "wrong"]), " ", question.why);
  };
  return { choices: el("div.lrn-choices.sv-flow", null, buttons), buttons, mark, reveal };
}

/** A question before the picture answers it. @param {Question} question @param {(pick: number) => void} [onPick] */
export function prediction(question, onPick) {
  const reason = el("p.lrn-why", { "aria-live": "polite" }, el("span.sv-note", null, PAGE.predict_first));
  const head = el("h3", null, el("span.lrn-predict", null, PAGE.predict), " ", question.ask);
  return { head, reason, ...choiceButtons(question, { right: PAGE.right, wrong: PAGE.wrong }, reason, onPick) };
}

/** @param {Question} question @param {Tab} tab @param {string} key the chapter's */
export function questionSection(question, { answers, chapter, stage: { room } }, key) {
  const { head, choices, buttons, reason, mark, reveal } = prediction(question, (pick) => answers.set(chapter, pick));
  const stored = answers.get(chapter);
  const placeholder = [...reason.childNodes];
  if (stored !== undefined) reveal(stored);
  let state = "alone";
  /** The class's answers as bars; with the answer, which of them is right, which stays. While it votes no answer stands on
   * the wall nor is given there, and what its teacher once chose stands there only without it. @param {Votes | null} votes */
  const drawVotes = (votes) => {
    showVotes(buttons, votes);
    const next = votes === null ? "alone" : votes.right === null ? "open" : "answered";
    if (next === state) return;
    const own = answers.get(chapter);
    const isShown = state === "answered" && own === undefined;
    state = next;
    reason.hidden = state === "open";
    if (state === "alone" && isShown) return;
    for (const button of buttons) {
      button.disabled = state === "open";
      button.dataset.state = "";
      button.setAttribute("aria-pressed", "false");
    }
    reason.replaceChildren(...(state === "answered" ? [question.why] : placeholder));
    if (state === "answered") mark(question.right);
    else if (state === "alone" && own !== undefined) reveal(own);
  };
  const answer = () => room.revealAnswer(key, question.right);
  const phonesRow = phones(() => key, room, drawVotes, answer);
  return el("section.lrn-question", { "aria-label": PAGE.predict }, head, choices, phonesRow.root, reason);
}

/** An estimate beside what was measured; null while one of them is missing.
 * @param {number | undefined} estimate @param {ReturnType<Passes["measurement"]>} measurement @param {number} n */
export function compareEstimate(estimate, measurement, n) {
  if (estimate === undefined || !measurement || measurement.error !== undefined) return null;
  return { estimate: times(estimate), measured: times(measurement.ms[n] / measurement.ms[1]) };
}

/** An estimate beside what other machines took, where this one measures or was too busy to.
 * @param {number} estimate @param {Passes} passes @param {number} n */
function compareElsewhere(estimate, { recorded }, n) {
  const elsewhere = recorded.map(({ ms, device }) => {
    return fillText(PAGE.guess_device, { times: times(ms[n] / ms[1]), device });
  });
  return elsewhere.length ? fillText(PAGE.guess_elsewhere, { estimate: times(estimate), elsewhere: elsewhere.join(", ") }) : null;
}

/** Which of the choices 1, 2, 4, 8 … a number is nearest to. @param {number} factor @param {number} choices */
export const nearest = (factor, choices) => Math.max(0, Math.min(choices - 1, Math.round(Math.log2(factor))));

/** Say a number, then measure it: how many times as long a pass over n tokens takes.
 * @param {Estimate} question @param {Tab} tab @param {string} key the chapter's */
export function estimateSection(question, { answers, chapter, stage: { passes, room } }, key) {
  const stored = answers.get(chapter);
  const field = { type: "number", min: 0.5, max: MAX_RATIO, step: "any", "aria-label": question.ask, value: stored };
  const input = el("input.sv-input.lrn-number-field", field);
  const reason = el("p.lrn-why", { "aria-live": "polite" });
  const measureButton = button(passes.measurable ? PAGE.guess_measure : PAGE.guess_compare, submit);
  measureButton.classList.add("lrn-guessed");

  function submit() {
    const number = Number(input.value);
    if (!(number > 0 && number <= MAX_RATIO)) return setText(reason, fillText(PAGE.guess_bounds, { most: MAX_RATIO }));
    answers.set(chapter, number);
    passes.requestMeasurement();
  }

  function showComparison() {
    const estimate = answers.get(chapter);
    const measurement = passes.measurement();
    const comparison = compareEstimate(estimate, measurement, question.tokens);
    measureButton.disabled = passes.waiting;
    if (comparison) {
      const head = fillText(passes.showsRecorded ? PAGE.guess_recorded : PAGE.guess_measured, comparison);
      return reason.replaceChildren(el("strong", null, head), " ", question.why);
    }
    const unmeasured = passes.waiting ? PAGE.measuring : measurement?.error;
    const elsewhere = estimate && unmeasured ? compareElsewhere(estimate, passes, question.tokens) : null;
    const note = el("span.sv-note", null, (estimate && unmeasured) || PAGE.guess_first);
    reason.replaceChildren(note, ...(elsewhere ? [" ", el("strong", null, elsewhere), " ", question.why] : []));
  }

  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") submit();
  });
  passes.onChange(showComparison);
  showComparison();
  const head = el("h3", null, el("span.lrn-predict", null, PAGE.predict), " ", question.ask);
  const row = el("div.lrn-choices.sv-flow", null, input, el("span", null, PAGE.guess_unit), measureButton);
  const voteList = el("ol.lrn-choices.lrn-voted.sv-flow");
  let answerDue = false; // the answer is wanted, and not measured yet
  const revealMeasured = () => {
    const measurement = passes.measurement();
    const poll = room.state?.poll;
    answerDue = !measurement;
    if (!measurement && !passes.waiting) passes.requestMeasurement();
    const isHere = measurement?.error === undefined;
    const ms = (isHere ? measurement : passes.recorded[0])?.ms;
    if (!ms || !poll) return;
    const times = ms[question.tokens] / ms[1];
    room.revealAnswer(key, nearest(times, poll.choices.length), { times, recorded: !isHere || passes.showsRecorded });
  };
  passes.onChange(() => answerDue && revealMeasured());
  const drawVotes = (/** @type {Votes | null} */ votes) => {
    reason.hidden = votes !== null && votes.right === null;
    voteList.replaceChildren(...voteBars(votes));
    if (votes && votes.right !== null && !answers.has(chapter)) setText(reason, question.why);
  };
  const phonesRow = phones(() => key, room, drawVotes, revealMeasured);
  return el("section.lrn-question", { "aria-label": PAGE.predict }, head, row, voteList, phonesRow.root, reason);
}

/** @param {HTMLElement} root the tab's */
export function openEnding(root) {
  const { able, questions, links, words } = LESSON.ending;
  const stored = readStored("ending");
  /** @type {(number | null)[]} what was chosen, by question */
  const choices = questions.map((_, i) => (Number.isInteger(stored?.[i]) ? stored[i] : null));
  const score = el("p.lrn-score", { "aria-live": "polite" });
  const rightCount = () => questions.filter((question, i) => question.right === choices[i]).length;
  const keepButton = button(words.keep, () => {
    const date = new Date().toISOString().slice(0, 10);
    const head = fillText(words.kept, { right: rightCount(), of: questions.length, date });
    save("specviz-result.txt", "text/plain", [head, "", words.able, ...able.map((one) => `- ${one}`), ""].join("\n"));
  });
  const updateScore = () => {
    const openCount = choices.filter((one) => one === null).length;
    const open = fillText(words[openCount === 1 ? "left_one" : "left"], { n: openCount });
    setText(score, openCount ? open : fillText(words.score, { right: rightCount(), of: questions.length }));
    keepButton.disabled = openCount > 0;
  };
  const items = questions.map((question, i) => {
    const onChoice = (/** @type {number} */ at) => {
      choices[i] = at;
      writeStored("ending", choices);
      updateScore();
    };
    return el("li", null, questionItem(question, choices[i], onChoice));
  });
  updateScore();
  openDialog(root, words.title, [
    el("p", null, words.able),
    el("ul.lrn-able", null, ...able.map((each) => el("li", null, each))),
    el("h3", null, words.ask),
    el("ol.lrn-asked", null, ...items),
    el("div.sv-flow", null, score, keepButton),
    el("h3", null, words.on),
    el("ul", null, ...links.map(([word, href]) => el("li", null, link(word, href))), el("li", null, words.own)),
  ]);
}

/** @param {string} word @param {string} href */
const link = (word, href) => el("a", { href, target: "_blank", rel: "noopener noreferrer" }, word);

/** @param {Question} question @param {number | null} stored @param {(at: number) => void} onChoice */
function questionItem(question, stored, onChoice) {
  const { right = "", wrong = "" } = LESSON.ending.words;
  const why = el("p.sv-note", { "aria-live": "polite" });
  const { choices, reveal } = choiceButtons(question, { right, wrong }, why, onChoice);
  if (stored !== null) reveal(stored);
  return el("div.lrn-question", null, el("p", null, question.ask), choices, why);
}
