// A game: verdicts are hidden, a visitor says of each token whether it is accepted, then sees it; the next one comes by
// itself. After ten the result says what was learnt of α.

import { button } from "../shared/controls.js";
import { el, setText, still } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { fill, plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { limitOf } from "../shared/tree.js";
import { ROLES, WORDS } from "../shared/words.js";
import { examinedNodes } from "../trace/tree.js";

/** @import { Clock, Config, Lane, Round } from "../shared/types.js" */
/** @import { Guess, ReplayStep } from "./types.js" */

/** @type {Guess[]} */
const GUESSES = ["accept", "reject"];
const ANSWERS = 10; // answers until the result
const READ_MS = { right: 1300, wrong: 2400 }; // ms: an answer is read, then the next question comes

/**
 * @param {Clock} clock @param {Lane} lane the one that is stepped through @param {Config} config
 * @param {Map<string, Guess | null>} guesses by round and token; none where its verdict was seen first
 */
export function makePredict(clock, { rounds, numbers }, config, guesses) {
  const sentence = el("p.sv-asked", { "aria-live": "polite" });
  const buttons = GUESSES.map((guess) => {
    const { glyph } = ROLES[guess === "accept" ? "accepted" : "rejected"];
    return button([glyph, " ", WORDS[`predict_${guess}`]], () => giveGuess(guess), { "data-guess": guess });
  });
  const proceed = button(WORDS.predict_on, clock.play);
  const score = el("p.sv-score.sv-muted");
  const resultLine = el("p.sv-learnt");
  const shareButton = button(WORDS.predict_share, async () => {
    const text = `${plain("predict_shares", result())} ${location.origin}${location.pathname}`;
    setText(sentence, (await shareText(text)) ? WORDS.predict_shared : text);
  });
  const result = () => ({
    ...scorePrediction(guesses, rounds, config),
    alpha: number(numbers.alpha ?? numbers.accepted_of_tested, 2),
  });
  const root = el(
    "div.sv-predict",
    { role: "group", "aria-label": WORDS.predict },
    sentence,
    buttons,
    proceed,
    score,
    el("p.sv-note.sv-predict-keys", null, WORDS.predict_keys),
    resultLine,
    shareButton,
  );
  /** @type {ReplayStep | null} */
  let current = null;

  /** False where nothing is asked for. @param {Guess} guess */
  function giveGuess(guess) {
    if (!current || current.next === null || guesses.has(keyOf(current.round, current.next))) return false;
    const { verdict } = current.round.drafted[current.next];
    guesses.set(keyOf(current.round, current.next), guess);
    clock.step(1, true);
    if (buttons.includes(/** @type {any} */ (document.activeElement))) proceed.focus({ preventScroll: true });
    if (resultLine.hidden && !still())
      playAfter(READ_MS[(guess === "accept") === (verdict === "accepted") ? "right" : "wrong"]);
    return true;
  }

  /** Unless somebody did something else meanwhile. @param {number} ms */
  function playAfter(ms) {
    const { t } = clock;
    setTimeout(() => root.checkVisibility() && !clock.playing && clock.t === t && clock.play(), ms);
  }

  function move(/** @type {ReplayStep} */ step) {
    current = step;
    const { round, phase, decided, next } = step;
    // what was seen before it was asked for is no prediction
    for (const i of examinedNodes(round.drafted).slice(0, decided))
      if (!guesses.has(keyOf(round, i))) guesses.set(keyOf(round, i), null);
    const asking = next !== null && phase === "decide" && !clock.playing;
    const isOpen = asking && !guesses.has(keyOf(round, next));
    const isNew = isOpen && buttons[0].hidden;
    for (const button of buttons) button.hidden = !isOpen;
    const { right, of, streak } = scorePrediction(guesses, rounds, config);
    const over = clock.t >= clock.duration;
    proceed.hidden = isOpen || clock.playing || over;
    const isOver = !isOpen && !clock.playing && of > 0 && (over || (of % ANSWERS === 0 && Boolean(guessOf(step))));
    sentence.replaceChildren(...(isOpen ? questionNodes(step) : answerNodes(step)));
    setText(score, plain(of ? "predict_score" : "predict_none", { right, of, streak }));
    const wasOver = !resultLine.hidden;
    for (const one of [resultLine, shareButton]) one.hidden = !isOver;
    if (isOver) setText(resultLine, summary(result()));
    if (isNew || (isOver && !wasOver)) root.scrollIntoView({ block: "nearest" }); // it waits for the visitor
  }

  /** @param {ReplayStep} step */
  function questionNodes({ round, next }) {
    const { token, u } = round.drafted[next ?? 0];
    const key = config.greedy ? "predict_ask_greedy" : u === null ? "predict_ask_alone" : "predict_ask";
    return fill(WORDS[key], { x: chip(token) });
  }

  /** What was said of the verdict that has just fallen. @param {ReplayStep} step */
  const guessOf = ({ round, phase, last }) =>
    phase === "decide" && last !== null ? guesses.get(keyOf(round, last)) : null;

  /** What a game came to. @param {ReturnType<typeof scorePrediction> & { alpha: string }} result */
  function summary(result) {
    const { kept: accepted, of } = result;
    const values = { ...result, share: percent(accepted / of) };
    const keys = ["predict_result", "predict_learnt", ...(config.greedy ? [] : ["predict_likelier"])];
    return keys.map((key) => plain(key, values)).join(" ");
  }

  /** @param {ReplayStep} step */
  function answerNodes(step) {
    const { round, last } = step;
    const guess = guessOf(step);
    if (!guess || last === null) return [document.createTextNode(clock.playing ? "" : WORDS.predict_wait)];
    const { token, verdict } = round.drafted[last];
    const right = (guess === "accept") === (verdict === "accepted");
    return fill(WORDS[right ? "predict_right" : "predict_wrong"], { x: chip(token), verdict: ROLES[verdict].word });
  }
  return { root, move, giveGuess };
}

/** @param {Round} round @param {number} i */
const keyOf = ({ index }, i) => `${index}/${i}`;

/**
 * How many predictions were right, of how many; how many in a row, now and at most; how many of the tokens were kept;
 * and how often the likelier of both answers would have been right.
 * @param {Map<string, Guess | null>} guesses @param {Round[]} rounds by their places
 * @param {Pick<Config, "greedy" | "verifier" | "theta">} config
 */
function scorePrediction(guesses, rounds, { greedy, verifier, theta }) {
  const score = { right: 0, of: 0, streak: 0, longest: 0, kept: 0, likelier: 0 };
  for (const [key, guess] of guesses) {
    const [index, i] = key.split("/").map(Number);
    const drafted = rounds[index]?.drafted[i];
    if (!guess || !drafted) continue;
    const accepted = drafted.verdict === "accepted";
    const chance = verifier === "match" ? drafted.p : limitOf(drafted, { verifier, theta });
    const right = (guess === "accept") === accepted;
    score.of += 1;
    score.right += Number(right);
    score.streak = right ? score.streak + 1 : 0;
    score.longest = Math.max(score.longest, score.streak);
    score.kept += Number(accepted);
    score.likelier += greedy ? 0 : Number((chance ?? 0) >= 0.5 === accepted);
  }
  return score;
}

/** @param {string} text @returns {Promise<boolean>} false where the browser lets the page do neither */
async function shareText(text) {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ text });
    else await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "AbortError"; // who closed the list of apps wants no text
  }
}
