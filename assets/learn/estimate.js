// Say a number, then measure it: how many times as long a pass over n tokens takes.

import { phones } from "../poll/phones.js";
import { voteBars } from "../poll/votes.js";
import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { times } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { PAGE } from "./lesson.js";

/** @import { Estimate, Passes, Tab } from "./types.js" */

const MOST = 99;

/**
 * What is said of a number once there is something to hold it against; null before.
 * @param {number | undefined} said @param {ReturnType<Passes["found"]>} found @param {number} n
 */
export function compareEstimate(said, found, n) {
  if (said === undefined || !found || found.error !== undefined) return null;
  return { said: times(said), measured: times(found.ms[n] / found.ms[1]) };
}

/** Which of the choices 1, 2, 4, 8 … a number is nearest to. @param {number} factor @param {number} choices */
export const nearest = (factor, choices) => Math.max(0, Math.min(choices - 1, Math.round(Math.log2(factor))));

/** @param {Estimate} asked @param {Tab} tab @param {string} key the chapter's */
export function estimate(asked, { answers, chapter, stage: { passes, room } }, key) {
  const before = answers.get(chapter);
  const field = { type: "number", min: 0.5, max: MOST, step: "any", "aria-label": asked.ask, value: before };
  const input = el("input.sv-input.lrn-number-field", field);
  const told = el("p.lrn-why", { "aria-live": "polite" });
  const go = button(passes.here ? PAGE.guess_measure : PAGE.guess_compare, say);
  go.classList.add("lrn-guessed");

  function say() {
    const number = Number(input.value);
    if (!(number > 0 && number <= MOST)) return setText(told, fillText(PAGE.guess_bounds, { most: MOST }));
    answers.set(chapter, number);
    passes.ask();
  }

  function show() {
    const said = answers.get(chapter);
    const both = compareEstimate(said, passes.found(), asked.tokens);
    go.disabled = passes.waiting;
    if (both) {
      const head = fillText(passes.shown ? PAGE.guess_recorded : PAGE.guess_measured, both);
      told.replaceChildren(el("strong", null, head), " ", asked.why);
    } else {
      const waiting = said !== undefined && passes.waiting;
      told.replaceChildren(el("span.sv-note", null, waiting ? PAGE.measuring : PAGE.guess_first));
    }
  }

  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") say();
  });
  passes.hear(show);
  show();
  const head = el("h3", null, el("span.lrn-predict", null, PAGE.predict), " ", asked.ask);
  const row = el("div.lrn-choices.sv-flow", null, input, el("span", null, PAGE.guess_unit), go);
  const voted = el("ol.lrn-choices.lrn-voted.sv-flow");
  let due = false; // the answer is wanted, and not measured yet
  const answer = () => {
    const found = passes.found();
    const poll = room.seen?.poll;
    due = !found;
    if (!found && !passes.waiting) passes.ask();
    if (found && poll && found.error === undefined) {
      room.reveal(key, nearest(found.ms[asked.tokens] / found.ms[1], poll.choices.length));
    }
  };
  passes.hear(() => due && answer());
  const shown = phones(
    () => key,
    room,
    (votes) => {
      told.hidden = votes !== null && votes.right === null;
      voted.replaceChildren(...voteBars(votes));
      if (votes && votes.right !== null && !answers.has(chapter)) setText(told, asked.why);
    },
    answer,
  );
  return el("section.lrn-question", { "aria-label": PAGE.predict }, head, row, voted, shown.root, told);
}
