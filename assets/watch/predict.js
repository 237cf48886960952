// A game: verdicts are hidden, a visitor says of each token whether it is accepted, then sees it; the next one comes by
// itself. After ten the result says what was learnt of α.

import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { limitOf } from "../shared/limit.js";
import { still } from "../shared/motion.js";
import { number, percent } from "../shared/numbers.js";
import { fill, plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { ROLES, WORDS } from "../shared/words.js";
import { examinedNodes } from "../trace/tree.js";

/** @import { Clock, Config, Lane, Round } from "../shared/types.js" */
/** @import { Guess, Standing } from "./types.js" */

/** @type {Guess[]} */
const GUESSES = ["accept", "reject"];
const GAME = 10; // answers until the result
const READ = { right: 1300, wrong: 2400 }; // ms: an answer is read, then the next question comes

/**
 * @param {Clock} clock @param {Lane} lane the one that is stepped through @param {Config} config
 * @param {Map<string, Guess | null>} guesses by round and token; none where its verdict was seen first
 */
export function makePredict(clock, { rounds, numbers }, config, guesses) {
  const asked = el("p.sv-asked", { "aria-live": "polite" });
  const buttons = GUESSES.map((guess) => {
    const { glyph } = ROLES[guess === "accept" ? "accepted" : "rejected"];
    return button([glyph, " ", WORDS[`predict_${guess}`]], () => give(guess), { "data-guess": guess });
  });
  const on = button(WORDS.predict_on, clock.play);
  const score = el("p.sv-score");
  const learnt = el("p.sv-learnt");
  const share = button(WORDS.predict_share, async () => {
    const text = `${plain("predict_shares", result())} ${location.origin}${location.pathname}`;
    setText(asked, (await copied(text)) ? WORDS.predict_shared : text);
  });
  const result = () => ({
    ...scorePrediction(guesses, rounds, config),
    alpha: number(numbers.alpha ?? numbers.accepted_of_tested, 2),
  });
  const root = el(
    "div.sv-predict",
    { role: "group", "aria-label": WORDS.predict },
    asked,
    buttons,
    on,
    score,
    el("p.sv-note.sv-predict-keys", null, WORDS.predict_keys),
    learnt,
    share,
  );
  /** @type {Standing | null} */
  let now = null;

  /** False where nothing is asked for. @param {Guess} guess */
  function give(guess) {
    if (!now || now.next === null || guesses.has(keyOf(now.round, now.next))) return false;
    const { verdict } = now.round.drafted[now.next];
    guesses.set(keyOf(now.round, now.next), guess);
    clock.step(1, true);
    if (buttons.includes(/** @type {any} */ (document.activeElement))) on.focus({ preventScroll: true });
    if (learnt.hidden && !still()) goOn(READ[(guess === "accept") === (verdict === "accepted") ? "right" : "wrong"]);
    return true;
  }

  /** Unless somebody did something else meanwhile. @param {number} ms */
  function goOn(ms) {
    const { t } = clock;
    setTimeout(() => root.checkVisibility() && !clock.playing && clock.t === t && clock.play(), ms);
  }

  function move(/** @type {Standing} */ standing) {
    now = standing;
    const { round, phase, decided, next } = standing;
    // what was seen before it was asked for is no prediction
    for (const i of examinedNodes(round.drafted).slice(0, decided))
      if (!guesses.has(keyOf(round, i))) guesses.set(keyOf(round, i), null);
    const asking = next !== null && phase === "decide" && !clock.playing;
    const waits = asking && !guesses.has(keyOf(round, next));
    const asks = waits && buttons[0].hidden;
    for (const button of buttons) button.hidden = !waits;
    const { right, of, streak } = scorePrediction(guesses, rounds, config);
    const over = clock.t >= clock.duration;
    on.hidden = waits || clock.playing || over;
    const done = !waits && !clock.playing && of > 0 && (over || (of % GAME === 0 && Boolean(guessOf(standing))));
    asked.replaceChildren(...(waits ? question(standing) : answer(standing)));
    setText(score, plain(of ? "predict_score" : "predict_none", { right, of, streak }));
    const before = !learnt.hidden;
    for (const one of [learnt, share]) one.hidden = !done;
    if (done) setText(learnt, summary(result()));
    if (asks || (done && !before)) root.scrollIntoView({ block: "nearest" }); // it waits for the visitor
  }

  /** @param {Standing} standing */
  function question({ round, next }) {
    const { token, u } = round.drafted[next ?? 0];
    const key = config.greedy ? "predict_ask_greedy" : u === null ? "predict_ask_alone" : "predict_ask";
    return fill(WORDS[key], { x: chip(token) });
  }

  /** What was said of the verdict that has just fallen. @param {Standing} standing */
  const guessOf = ({ round, phase, last }) =>
    phase === "decide" && last !== null ? guesses.get(keyOf(round, last)) : null;

  /** What a game came to. @param {ReturnType<typeof scorePrediction> & { alpha: string }} result */
  function summary(result) {
    const { kept, of } = result;
    const values = { ...result, share: percent(kept / of) };
    const keys = ["predict_result", "predict_learnt", ...(config.greedy ? [] : ["predict_likelier"])];
    return keys.map((key) => plain(key, values)).join(" ");
  }

  /** @param {Standing} standing */
  function answer(standing) {
    const { round, last } = standing;
    const guess = guessOf(standing);
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
 * How many predictions were right, of how many; how many in a row, now and at most; how many of the tokens were kept;
 * and how often the likelier of both answers would have been right.
 * @param {Map<string, Guess | null>} guesses @param {Round[]} rounds by their places
 * @param {Pick<Config, "greedy" | "verifier" | "theta">} config
 */
export function scorePrediction(guesses, rounds, { greedy, verifier, theta }) {
  const score = { right: 0, of: 0, streak: 0, longest: 0, kept: 0, likelier: 0 };
  for (const [key, guess] of guesses) {
    const [index, i] = key.split("/").map(Number);
    const drafted = rounds[index]?.drafted[i];
    if (!guess || !drafted) continue;
    const kept = drafted.verdict === "accepted";
    const chance = verifier === "match" ? drafted.p : limitOf(drafted, { verifier, theta });
    const right = (guess === "accept") === kept;
    score.of += 1;
    score.right += Number(right);
    score.streak = right ? score.streak + 1 : 0;
    score.longest = Math.max(score.longest, score.streak);
    score.kept += Number(kept);
    score.likelier += greedy ? 0 : Number((chance ?? 0) >= 0.5 === kept);
  }
  return score;
}

/** @param {string} text @returns {Promise<boolean>} false where the browser lets the page do neither */
async function copied(text) {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ text });
    else await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "AbortError"; // who closed the list of apps wants no text
  }
}
