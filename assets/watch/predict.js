// Hide verdicts: a class says of each token whether it is accepted, then sees it; and how often it was right.

import { button } from "../shared/button.js";
import { el, setText } from "../shared/dom.js";
import { limitOf } from "../shared/limit.js";
import { fill, plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { ROLES, WORDS } from "../shared/words.js";
import { tested } from "../trace/tree.js";

/** @import { Clock, Config, Lane, Round } from "../shared/types.js" */
/** @import { Guess, Predict, Standing } from "./types.js" */

/** @type {Guess[]} */
const GUESSES = ["accept", "reject"];

/**
 * @param {Clock} clock
 * @param {Lane} lane the one that is stepped through
 * @param {Config} config
 * @param {Map<string, Guess | null>} guesses by round and token; none where its verdict was seen first
 * @returns {Predict}
 */
export function makePredict(clock, { rounds }, config, guesses) {
  const asked = el("p.sv-asked", { "aria-live": "polite" });
  const buttons = GUESSES.map((guess) => {
    const { glyph } = ROLES[guess === "accept" ? "accepted" : "rejected"];
    return button([glyph, " ", WORDS[`predict_${guess}`]], () => give(guess), { "data-guess": guess });
  });
  const on = button(WORDS.predict_on, clock.play);
  const score = el("p.sv-score");
  const root = el("div.sv-predict", { role: "group", "aria-label": WORDS.predict }, asked, buttons, on, score);
  /** @type {Standing | null} */
  let now = null;

  function give(/** @type {Guess} */ guess) {
    if (!now || now.next === null || guesses.has(keyOf(now.round, now.next))) return false;
    guesses.set(keyOf(now.round, now.next), guess);
    clock.step(1, true);
    if (buttons.includes(/** @type {any} */ (document.activeElement))) on.focus({ preventScroll: true });
    return true;
  }

  function move(/** @type {Standing} */ standing) {
    now = standing;
    const { round, phase, decided, next } = standing;
    // what was seen before it was asked for is no prediction
    for (const i of tested(round.drafted).slice(0, decided))
      if (!guesses.has(keyOf(round, i))) guesses.set(keyOf(round, i), null);
    const asking = next !== null && phase === "decide" && !clock.playing;
    const waits = asking && !guesses.has(keyOf(round, next));
    const asks = waits && buttons[0].hidden;
    for (const button of buttons) button.hidden = !waits;
    on.hidden = waits || clock.playing;
    const told = waits ? question(standing) : answer(standing);
    asked.replaceChildren(...told);
    const { right, of, likelier } = scored(guesses, rounds, config);
    const key = of ? (config.greedy ? "predict_score_greedy" : "predict_score") : "predict_none";
    setText(score, plain(key, { right, of, likelier }));
    if (asks) root.scrollIntoView({ block: "nearest" }); // the replay waits for the answer
  }

  /** @param {Standing} standing */
  function question({ round, next }) {
    const { token, u } = round.drafted[next ?? 0];
    const key = config.greedy ? "predict_ask_greedy" : u === null ? "predict_ask_alone" : "predict_ask";
    return fill(WORDS[key], { x: chip(token) });
  }

  /** @param {Standing} standing */
  function answer({ round, phase, last }) {
    const guess = phase === "decide" && last !== null ? guesses.get(keyOf(round, last)) : null;
    if (!guess || last === null) return [document.createTextNode(clock.playing ? "" : WORDS.predict_wait)];
    const { token, verdict } = round.drafted[last];
    const right = (guess === "accept") === (verdict === "accepted");
    return fill(WORDS[right ? "predict_right" : "predict_wrong"], { x: chip(token), verdict: ROLES[verdict].word });
  }
  return { root, move, give };
}

/** @param {Round} round @param {number} i */
const keyOf = ({ index }, i) => `${index}/${i}`;

/**
 * How many predictions were right, of how many; and how many the likelier of the two would have been.
 * @param {Map<string, Guess | null>} guesses @param {Round[]} rounds by their places
 * @param {Pick<Config, "greedy" | "verifier" | "theta">} config
 */
export function scored(guesses, rounds, { greedy, verifier, theta }) {
  const score = { right: 0, of: 0, likelier: 0 };
  for (const [key, guess] of guesses) {
    const [index, i] = key.split("/").map(Number);
    const drafted = rounds[index]?.drafted[i];
    if (!guess || !drafted) continue;
    const kept = drafted.verdict === "accepted";
    const chance = verifier === "match" ? drafted.p : limitOf(drafted, { verifier, theta });
    score.of += 1;
    score.right += Number((guess === "accept") === kept);
    score.likelier += greedy ? 0 : Number((chance ?? 0) >= 0.5 === kept);
  }
  return score;
}
