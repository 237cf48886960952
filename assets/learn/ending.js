// After the last chapter: what one can do now, five questions with their reasons, a result to keep, where to go on
// (specviz/page/learn/ending.py).

import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { save } from "../shared/save.js";
import { fillText } from "../shared/sentences.js";
import { readStored, writeStored } from "../shared/store.js";
import { openDialog } from "./dialog.js";
import { LESSON } from "./lesson.js";
import { answers } from "./question.js";

/** @import { Question } from "./types.js" */

/** @param {HTMLElement} root the tab's */
export function ending(root) {
  const { able, questions, links, words } = LESSON.ending;
  const before = readStored("ending");
  /** @type {(number | null)[]} what was chosen, by question */
  const chosen = questions.map((_, i) => (Number.isInteger(before?.[i]) ? before[i] : null));
  const told = el("p.lrn-score", { "aria-live": "polite" });
  const right = () => questions.filter((question, i) => question.right === chosen[i]).length;
  const result = button(words.keep, () => {
    const date = new Date().toISOString().slice(0, 10);
    const head = fillText(words.kept, { right: right(), of: questions.length, date });
    save("specviz-result.txt", "text/plain", [head, "", words.able, ...able.map((one) => `- ${one}`), ""].join("\n"));
  });
  const count = () => {
    const left = chosen.filter((one) => one === null).length;
    const open = fillText(words[left === 1 ? "left_one" : "left"], { n: left });
    setText(told, left ? open : fillText(words.score, { right: right(), of: questions.length }));
    result.disabled = left > 0;
  };
  const asked = questions.map((question, i) => {
    const choose = (/** @type {number} */ at) => {
      chosen[i] = at;
      writeStored("ending", chosen);
      count();
    };
    return el("li", null, one(question, chosen[i], choose));
  });
  count();
  openDialog(root, words.title, [
    el("p", null, words.able),
    el("ul.lrn-able", null, ...able.map((each) => el("li", null, each))),
    el("h3", null, words.ask),
    el("ol.lrn-asked", null, ...asked),
    el("div.sv-flow", null, told, result),
    el("h3", null, words.on),
    el("ul", null, ...links.map(([word, href]) => el("li", null, link(word, href))), el("li", null, words.own)),
  ]);
}

/** @param {string} word @param {string} href */
const link = (word, href) => el("a", { href, target: "_blank", rel: "noopener noreferrer" }, word);

/** @param {Question} question @param {number | null} before @param {(at: number) => void} choose */
function one(question, before, choose) {
  const { right = "", wrong = "" } = LESSON.ending.words;
  const why = el("p.sv-note", { "aria-live": "polite" });
  const { choices, reveal } = answers(question, { right, wrong }, why, choose);
  if (before !== null) reveal(before);
  return el("div.lrn-question", null, el("p", null, question.ask), choices, why);
}
