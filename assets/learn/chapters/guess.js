// The visitor is the draft; then a processor that guesses branches, and a round of a recorded run, step for
// step the same.

import { makeGame } from "../../play/game.js";
import { el } from "../../player/dom.js";
import { fillText } from "../../player/words.js";
import { LESSON, PAGE } from "../lesson.js";
import { setRole, tokenBox, views } from "../picture.js";

/** @import { Picture, Scene, Sentence, Stage, View } from "../types.js" */

const GUESS_MS = 700;

/** @param {Scene} excerpt @param {Stage} stage @returns {Picture} */
export function guess(excerpt, stage) {
  const analogy = { ...processor(excerpt), word: PAGE.processor_view, beatMs: beatMs(excerpt) };
  if (!stage.drafting) return views("lrn-guessing", [analogy], 0, stage);
  const { root: node } = makeGame(LESSON.game, stage.drafting);
  const game = { node, sentences: /** @type {Sentence[]} */ ([[PAGE.game_says]]), word: LESSON.game.title };
  return { ...views("lrn-guessing", [game, analogy], 1, stage), waits: true };
}

/** The guesses come one after the other, in the first beat. @param {Scene} excerpt */
const beatMs = ({ round: { drafted } }) => drafted.length * GUESS_MS + 600;

/** @param {Scene} excerpt @returns {View} */
function processor(excerpt) {
  const { drafted, emitted } = excerpt.round;
  const end = emitted[emitted.length - 1];
  const branches = drafted.map((_, i) => tokenBox(fillText(PAGE.branch, { n: i + 1 }), ""));
  const other = tokenBox(PAGE.branch_other, "");
  const tokens = drafted.map((d) => tokenBox(d.token.text, ""));
  const corrected = tokenBox(end.token.text, "");
  const stages = [PAGE.stage_guess, PAGE.stage_check, PAGE.stage_end].map((word) => el("li", null, word));
  const checks = [PAGE.branch_known, PAGE.pass_runs].map((word) => el("div.lrn-check", null, word));
  const verdict = 2 * beatMs(excerpt);

  /** @param {number} t @param {number} i */
  function roleAt(t, i) {
    if (t >= verdict + i * GUESS_MS) return drafted[i].verdict;
    return t >= i * GUESS_MS + 200 ? "drafted" : "";
  }

  return {
    node: el(
      "div.lrn-guess.sv-stack",
      null,
      el("ol.lrn-stages.sv-flow", null, stages),
      lane(PAGE.processor, checks[0], [...branches, other]),
      lane(PAGE.decoding, checks[1], [...tokens, corrected]),
    ),
    sentences: [[PAGE.guess_1, { n: drafted.length }], [PAGE.guess_2], [PAGE.guess_3], [PAGE.guess_4]],
    show(i, _, t) {
      drafted.forEach((_, k) => {
        for (const box of [branches[k], tokens[k]]) setRole(box, roleAt(t, k));
      });
      for (const box of [other, corrected]) setRole(box, i === 3 ? end.role : "");
      for (const box of checks) box.toggleAttribute("data-on", i === 1);
      for (const [k, stage] of stages.entries()) stage.toggleAttribute("data-on", k === Math.min(i, 2));
    },
  };
}

/** @param {string} word @param {HTMLElement} check @param {HTMLElement[]} boxes */
function lane(word, check, boxes) {
  return el("section.lrn-lane", null, el("h4", null, word), check, el("div.lrn-flow.sv-flow", null, boxes));
}
