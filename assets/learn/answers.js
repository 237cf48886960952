// What was answered or guessed, by chapter: this browser keeps it for the next visit.

import { readStored, writeStored } from "../shared/store.js";

/** @returns {Map<number, number>} */
export function keptAnswers() {
  const before = readStored("answers");
  const whole = (/** @type {any} */ pair) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite);
  const answers = new Map(Array.isArray(before) ? before.filter(whole) : []);
  const set = answers.set.bind(answers);
  answers.set = (chapter, chosen) => {
    set(chapter, chosen);
    writeStored("answers", [...answers]);
    return answers;
  };
  document.addEventListener("specviz:forget", () => answers.clear());
  return answers;
}
