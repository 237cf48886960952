// Chapter 1: a processor that guesses branches, and a round of a recorded run, step for step the same.

import { makeGame } from "../../play/game.js";
import { el } from "../../shared/dom.js";
import { fillText } from "../../shared/sentences.js";
import { addPicture, LESSON, PAGE } from "../lesson.js";
import { setRole, tokenBox } from "../tokens.js";

/** @import { Picture, Scene, Stage } from "../types.js" */

const GUESS_MS = 700;
const CHECK_MS = 1600;

/** @param {Scene} excerpt @param {Stage} stage @returns {Picture} */
function guess({ round: { drafted, emitted } }, { drafting }) {
  const K = drafted.length;
  const end = emitted[emitted.length - 1];
  const branches = drafted.map((_, i) => tokenBox(fillText(PAGE.branch, { n: i + 1 }), ""));
  const other = tokenBox(PAGE.branch_other, "");
  const tokens = drafted.map((d) => tokenBox(d.token.text, ""));
  const corrected = tokenBox(end.token.text, "");
  const stages = [PAGE.stage_guess, PAGE.stage_check, PAGE.stage_end].map((word) => el("li", null, word));
  const checks = [PAGE.branch_known, PAGE.pass_runs].map((word) => el("div.lrn-check", null, word));
  const check = K * GUESS_MS + 600;
  const verdict = check + CHECK_MS;
  const after = verdict + K * GUESS_MS + 300;

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
    beats: [
      { at: 0, sentence: [PAGE.guess_1, { n: K }] },
      { at: check, sentence: [PAGE.guess_2] },
      { at: verdict, sentence: [PAGE.guess_3] },
      { at: after, sentence: [PAGE.guess_4] },
    ],
    tail: CHECK_MS,
    act: drafting && { title: LESSON.game.title, root: makeGame(LESSON.game, drafting).root },
    paint(t, i) {
      drafted.forEach((_, k) => {
        for (const box of [branches[k], tokens[k]]) setRole(box, roleAt(t, k));
      });
      for (const box of [other, corrected]) setRole(box, t >= after ? end.role : "");
      for (const box of checks) box.toggleAttribute("data-on", t >= check && t < verdict);
      for (const [k, stage] of stages.entries()) stage.toggleAttribute("data-on", k === Math.min(i, 2));
    },
  };
}

/** @param {string} word @param {HTMLElement} check @param {HTMLElement[]} boxes */
function lane(word, check, boxes) {
  return el("section.lrn-lane", null, el("h4", null, word), check, el("div.lrn-flow.sv-flow", null, boxes));
}

addPicture("guess", guess);
