// After the last chapter: what one can do now, five questions with their reasons, a result to keep, where to go on
// (specviz/page/learn/lesson.py).

import { button } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { el, setText } from "../shared/dom.js";
import { save } from "../shared/save.js";
import { fillText } from "../shared/sentences.js";
import { readStored, writeStored } from "../shared/store.js";
import { LESSON } from "./lesson.js";
import { choiceButtons } from "./question.js";

/** @import { Question } from "./types.js" */

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
    const left = choices.filter((one) => one === null).length;
    const open = fillText(words[left === 1 ? "left_one" : "left"], { n: left });
    setText(score, left ? open : fillText(words.score, { right: rightCount(), of: questions.length }));
    keepButton.disabled = left > 0;
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
